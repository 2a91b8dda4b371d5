/**
 * The most requests that begin in one turn of the event loop, and in one after which clients may
 * still wait to be accepted.
 */
const MOST = 128;
const MOST_BESIDE_NEWCOMERS = 1;
/**
 * Turns after a connection was accepted. A worker gets its next one by way of the primary process,
 * some turns later.
 */
const TURNS_OF_NEWCOMERS = 16;

/**
 * Bounds how many requests begin in one turn of the event loop. libuv accepts one connection in
 * each turn, so a client that connects would wait for all that others ask.
 */
export class RequestPacer {
  private readonly waiting: (() => void)[] = [];
  private begun = 0;
  private turnsOfNewcomers = 0;
  private isOpen = false;

  private get most(): number {
    return this.turnsOfNewcomers > 0 ? MOST_BESIDE_NEWCOMERS : MOST;
  }

  begin(start: () => void): void {
    this.open();
    if (this.waiting.length > 0 || this.begun >= this.most) {
      this.waiting.push(start);
      return;
    }
    this.begun += 1;
    start();
  }

  onConnection(): void {
    this.open();
    this.turnsOfNewcomers = TURNS_OF_NEWCOMERS;
  }

  private open(): void {
    if (!this.isOpen) setImmediate(this.next);
    this.isOpen = true;
  }

  private readonly next = (): void => {
    const starts = this.waiting.splice(0, this.most);
    this.begun = starts.length;
    this.isOpen = this.begun > 0 || this.turnsOfNewcomers > 0;
    if (this.isOpen) setImmediate(this.next);
    if (this.turnsOfNewcomers > 0) this.turnsOfNewcomers -= 1;
    for (const start of starts) start();
  };
}
