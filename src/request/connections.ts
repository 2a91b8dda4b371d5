import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { ConcurrencyLimit } from '../platform/concurrency-limit.js';
import { clientOf, isWithin, type Network, networkOf } from './client-address.js';
import { CONNECTIONS_DISPLACED, RefusedConnections } from './refused-connections.js';
import { RequestPacer } from './request-pacer.js';

/**
 * A client that reads nothing of a response for this long is disconnected. Node itself has
 * deadlines for requests.
 */
const UNREAD_MS = 5_000;
const MAX_ANSWERS = 16;
/**
 * All connections together may have this many unsent responses. Above that, each connection may
 * have only one, because responses use memory.
 */
const MAX_ALL_ANSWERS = 2_000;
/**
 * A connection with requests is put last in the order once a second at most, because each time
 * costs a twentieth of a read.
 */
const PLACED_MS = 1_000;
/** This result of `onIncoming` stops Node's HTTP parser. */
const UPGRADED = 2;
const MAX_CONNECTIONS = 10_000;
const MAX_OF_ADDRESS = 256;
/** The rest of the file descriptors is for the database, webhooks and the listening socket. */
const SHARE_OF_FILES = 0.75;

interface Connection {
  /**
   * These responses are under way, in order. The list is not a Set, because a Set's old tables keep
   * responses until a full garbage collection.
   */
  readonly answers: ServerResponse[];
  last?: ServerResponse;
  placedAt: number;
}

export class Connections {
  /**
   * The order is the order of the last requests, to the second, so the connection that has been
   * idle longest comes first.
   */
  private readonly open = new Map<Socket, Connection>();
  private readonly pacer = new RequestPacer();
  private allAnswers = 0;
  private readonly ofAddresses = new ConcurrencyLimit(MAX_OF_ADDRESS);
  private readonly proxies: readonly Network[];
  private readonly refused: RefusedConnections;

  constructor(
    private readonly server: Server,
    trustProxy: readonly string[],
    log?: FastifyBaseLogger,
  ) {
    this.proxies = trustProxy.map(networkOf);
    this.refused = new RefusedConnections(log);
    server.maxConnections = maxConnections();
    server.on('connection', (socket) => this.onConnection(socket));
    server.setTimeout(UNREAD_MS, (socket) => this.onSilence(socket));
  }

  private onConnection(socket: Socket): void {
    this.pacer.onConnection();
    const address = socket.remoteAddress ?? '';
    // A trusted proxy opens the connections of all its clients, so it has no limit of its own.
    const client = isWithin(this.proxies, address) ? undefined : clientOf(address);
    if (client !== undefined) {
      if (!this.ofAddresses.take(client)) {
        socket.destroy();
        this.refused.add(client);
        return;
      }
      socket.once('close', () => this.ofAddresses.giveBack(client));
    }
    this.accept(socket);
  }

  /**
   * Calls `start` when the previous response of the connection has been sent. Closes the connection
   * instead when it has too many unsent responses. Does nothing when the connection is closed, or
   * the previous response was its last one, because nobody would get the response.
   */
  begin(answer: ServerResponse, start: () => void): void {
    const { socket } = answer.req;
    if (socket.destroyed) return;
    const connection = this.open.get(socket) ?? this.accept(socket);
    const { answers } = connection;
    const before = answers.at(-1);
    this.placeLast(socket, connection);
    connection.last = answer;
    answers.push(answer);
    this.allAnswers += 1;
    answer.once('close', () => this.forget(answers, answer));
    if (answers.length > (this.allAnswers > MAX_ALL_ANSWERS ? 1 : MAX_ANSWERS)) cut(socket);
    else {
      const begin = () => this.pacer.begin(() => !socket.writable || start());
      if (before) before.once('close', begin);
      else begin();
    }
  }

  /**
   * Sends these bytes and closes the connection, after the responses to earlier requests have been
   * sent. Requests that follow are not read.
   */
  end(socket: Socket, bytes: string): void {
    stopParser(socket);
    const { answers, last } = this.open.get(socket) ?? this.accept(socket);
    const interrupted = last?.req.complete === false ? last : undefined;
    if (interrupted && !interrupted.writableEnded) this.forget(answers, interrupted);
    const before = answers.at(-1);
    if (before) {
      socket.pause();
      before.once('close', () => this.end(socket, bytes));
      return;
    }
    // A request that has already been answered gets no second response.
    if (socket.writable && !interrupted?.writableEnded) socket.end(bytes);
    // After end() alone, the socket stays open until the client closes its half, which may never
    // happen.
    socket.destroySoon();
  }

  /** At the limit, a new connection replaces the one that has been idle longest. */
  private accept(socket: Socket): Connection {
    const [oldest] = this.open.keys();
    if (oldest && this.open.size + 1 >= this.server.maxConnections) {
      this.open.delete(oldest);
      oldest.destroy();
      CONNECTIONS_DISPLACED.inc();
    }
    const connection = { answers: [], placedAt: performance.now() };
    this.open.set(socket, connection);
    socket.once('close', () => {
      this.open.delete(socket);
      // Node emits `close` only for the response that was being sent.
      this.allAnswers -= connection.answers.splice(0).length;
    });
    return connection;
  }

  private placeLast(socket: Socket, connection: Connection): void {
    const now = performance.now();
    if (now - connection.placedAt < PLACED_MS) return;
    connection.placedAt = now;
    this.open.delete(socket);
    this.open.set(socket, connection);
  }

  private forget(answers: ServerResponse[], answer: ServerResponse): void {
    const place = answers.indexOf(answer);
    if (place < 0) return;
    answers.splice(place, 1);
    this.allAnswers -= 1;
  }

  private onSilence(socket: Socket): void {
    const { answers, last } = this.open.get(socket) ?? {};
    // No request has arrived yet: Node's own deadline ends the connection with a 408.
    if (!last && socket.writable) return;
    // Only the first response counts, because the others are sent after it.
    const [first] = answers ?? [];
    if (first && !first.writableEnded) socket.setTimeout(UNREAD_MS);
    else socket.destroy();
  }
}

function cut(socket: Socket): void {
  socket.destroy();
  stopParser(socket);
}

/**
 * Stops the HTTP parser of a socket. It may still hold 64 KiB of requests that a client sent at
 * once, and would emit each of them although nobody can be answered any more. Reporting an upgrade
 * is the only way to stop it.
 */
function stopParser({ parser }: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (parser) parser.onIncoming = () => UPGRADED;
}

function maxConnections(): number {
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const files = Number(userLimits?.open_files.soft);
  return files > 0
    ? Math.min(MAX_CONNECTIONS, Math.floor(files * SHARE_OF_FILES))
    : MAX_CONNECTIONS;
}
