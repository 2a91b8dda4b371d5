/** How many connections there are, what each may hold, and how it ends. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long an answer waits for its client to read on. What clients send has deadlines of Node's. */
const UNREAD_MS = 5_000;
const MAX_ANSWERS = 16;
/** Of all connections together. Beyond it none has more than one: those that wait cost memory, and pipelining is rare. */
const MAX_ALL_ANSWERS = 2_000;
/** What Node's HTTP parser stops at. */
const UPGRADED = 2;
const MAX_CONNECTIONS = 10_000;
/** The rest is for the database, webhooks and the listening socket. */
const SHARE_OF_FILES = 0.75;

interface Connection {
  readonly answers: Set<ServerResponse>;
  last?: ServerResponse;
}

export class Connections {
  /** The one that has gone longest without a request comes first. */
  private readonly open = new Map<Socket, Connection>();
  private allAnswers = 0;

  constructor(private readonly server: Server) {
    server.maxConnections = maxConnections();
    server.on('connection', (socket) => this.accept(socket));
    server.setTimeout(UNREAD_MS, (socket) => this.onSilence(socket));
  }

  /**
   * Begins an answer once the one before it on its connection is sent: until then nothing would be sent of it. Never
   * when the connection asks for too many at once, or is cut.
   */
  begin(answer: ServerResponse, start: () => void): void {
    const { socket } = answer.req;
    if (socket.destroyed) return;
    const connection = this.open.get(socket) ?? this.accept(socket);
    const { answers, last: before } = connection;
    this.open.delete(socket);
    this.open.set(socket, connection);
    connection.last = answer;
    answers.add(answer);
    this.allAnswers += 1;
    answer.once('close', () => this.forget(answers, answer));
    if (answers.size > (this.allAnswers > MAX_ALL_ANSWERS ? 1 : MAX_ANSWERS)) cut(socket);
    else if (before && answers.has(before)) before.once('close', () => socket.destroyed || start());
    else start();
  }

  /** Ends a connection with these bytes, once the answers under way are sent: they belong to earlier requests. */
  end(socket: Socket, bytes: string): void {
    const { answers, last } = this.open.get(socket) ?? this.accept(socket);
    const interrupted = last?.req.complete === false ? last : undefined;
    if (interrupted && !interrupted.writableEnded) this.forget(answers, interrupted);
    const before = [...answers].at(-1);
    if (before) {
      socket.pause();
      before.once('close', () => this.end(socket, bytes));
      return;
    }
    // A request that was answered before it was broken off gets no second answer.
    if (socket.writable && !interrupted?.writableEnded) socket.end(bytes);
    // An HTTP socket that has only been ended stays until its client closes the other half, which it need not do.
    socket.destroySoon();
  }

  /** A newcomer takes the place of the connection that has gone longest without a request. */
  private accept(socket: Socket): Connection {
    const [oldest] = this.open.keys();
    if (oldest && this.open.size + 1 >= this.server.maxConnections) {
      this.open.delete(oldest);
      oldest.destroy();
    }
    const connection = { answers: new Set<ServerResponse>() };
    this.open.set(socket, connection);
    socket.once('close', () => {
      this.open.delete(socket);
      // Node closes only the answer that was being sent.
      for (const answer of connection.answers) this.forget(connection.answers, answer);
    });
    return connection;
  }

  private forget(answers: Set<ServerResponse>, answer: ServerResponse): void {
    if (answers.delete(answer)) this.allAnswers -= 1;
  }

  private onSilence(socket: Socket): void {
    const { answers, last } = this.open.get(socket) ?? {};
    // Without a request yet: Node's deadline is about to pass, and the client is told so.
    if (!last && socket.writable) return;
    // The others are sent after it, so that they do not count.
    const [first] = answers ?? [];
    if (first && !first.writableEnded) socket.setTimeout(UNREAD_MS);
    else socket.destroy();
  }
}

/**
 * Of what has been read, up to 64 KiB, Node would go on making requests of a socket that is destroyed: hundreds, and it
 * has no other means to stop its parser than what is told it of an upgrade.
 */
function cut(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => UPGRADED;
}

function maxConnections(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } };
  const files = Number(userLimits?.open_files.soft);
  return files > 0 ? Math.min(MAX_CONNECTIONS, Math.floor(files * SHARE_OF_FILES)) : MAX_CONNECTIONS;
}
