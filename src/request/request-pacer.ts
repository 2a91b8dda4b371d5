import cluster from 'node:cluster';

/** At most this many requests begin in one iteration of the event loop. */
const MOST = 128;
/**
 * While clients wait to be accepted, connections are at most this many iterations apart. A worker
 * gets its next connection from the primary process, some iterations later.
 */
const APART = cluster.isWorker ? 4 : 1;
/**
 * So many connections in a row show that more clients wait. Fewer often come together by chance
 * where iterations are long.
 */
const IN_A_ROW = 4;

/**
 * Bounds the work of one iteration of the event loop, so that new clients are not kept out. libuv
 * accepts only one new connection in each iteration; if an iteration ran all requests of the open
 * connections, new clients would wait for all of them.
 *
 * While clients wait to be accepted, one request begins in each iteration. Afterwards the number
 * doubles with each iteration. A client that comes alone, or with two others, changes nothing, so
 * requests still go to the database together.
 */
export class RequestPacer {
  private readonly waiting: (() => void)[] = [];
  private most = MOST;
  private begun = 0;
  private connectionsInARow = 0;
  private iterationsSinceConnection = Number.POSITIVE_INFINITY;
  private isCounting = false;

  begin(start: () => void): void {
    this.count();
    if (this.waiting.length > 0 || this.begun >= this.most) {
      this.waiting.push(start);
      return;
    }
    this.begun += 1;
    start();
  }

  onConnection(): void {
    this.count();
    if (this.iterationsSinceConnection > APART) this.connectionsInARow = 0;
    this.connectionsInARow += 1;
    if (this.connectionsInARow >= IN_A_ROW) this.most = 1;
    this.iterationsSinceConnection = 0;
  }

  private count(): void {
    if (!this.isCounting) setImmediate(this.next);
    this.isCounting = true;
  }

  private readonly next = (): void => {
    this.iterationsSinceConnection += 1;
    if (this.iterationsSinceConnection > APART) this.most = Math.min(this.most * 2, MOST);
    const starts = this.waiting.splice(0, this.most);
    this.begun = starts.length;
    const mayMoreWait = this.iterationsSinceConnection <= APART || this.most < MOST;
    this.isCounting = this.begun > 0 || mayMoreWait;
    if (this.isCounting) setImmediate(this.next);
    for (const start of starts) start();
  };
}
