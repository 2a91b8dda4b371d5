/** One connection: bytes out, and the answers in what comes back. It makes no request and so refuses none. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Bytes that may be no request get so much time before the connection is half closed. */
const SILENCE_MS = 100;
/** The service gives up a connection sooner. */
const PATIENCE_MS = 20_000;

export class Connection {
  private received = Buffer.alloc(0);
  private isOver = false;
  private wake: () => void = () => undefined;
  private readonly socket: Socket;

  private constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    const end = () => {
      this.isOver = true;
      this.wake();
    };
    // The service may close before it has read everything; what it sent until then counts.
    this.socket.on('error', end).on('end', end).on('close', end);
  }

  static async open(url: string): Promise<Connection> {
    const connection = new Connection(url);
    await once(connection.socket, 'connect');
    return connection;
  }

  get isOpen(): boolean {
    return !this.isOver;
  }

  /** The answers to the bytes: as many as are awaited, or else all until the service closes. */
  async send(bytes: Buffer, awaited: number, method = ''): Promise<Answer[]> {
    this.received = Buffer.alloc(0);
    this.socket.write(bytes);
    const deadline = performance.now() + PATIENCE_MS;
    if (awaited === 0) {
      await this.news(SILENCE_MS);
      this.socket.end();
    }
    for (;;) {
      const answers = answersIn(this.received, method, this.isOver);
      if (this.isOver || (awaited > 0 && answers.length >= awaited)) return answers;
      if (performance.now() > deadline) throw new Error(`The connection was still open after ${PATIENCE_MS} ms`);
      await this.news(PATIENCE_MS);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private async news(patienceMs: number): Promise<void> {
    if (this.isOver) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Every whole answer in the bytes; 1xx are none. */
function answersIn(bytes: Buffer, method: string, isOver: boolean): Answer[] {
  const answers: Answer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
    const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]));
    const body = status < 200 ? { text: '', end: end + 4 } : bodyAt(bytes, end + 4, headers, isOver, method);
    if (!body) return answers;
    if (status >= 200) answers.push({ status, headers, text: body.text });
    at = body.end;
  }
}

function bodyAt(bytes: Buffer, start: number, headers: Headers, isOver: boolean, method: string) {
  const length = headers.get('content-length');
  if (method === 'HEAD') return { text: '', end: start };
  if (headers.get('transfer-encoding') === 'chunked') return chunksAt(bytes, start);
  if (length === null)
    return isOver ? { text: bytes.toString('utf8', start), end: bytes.length } : { text: '', end: start };
  const end = start + Number(length);
  return end > bytes.length ? undefined : { text: bytes.toString('utf8', start, end), end };
}

function chunksAt(bytes: Buffer, start: number) {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (end < 0 || end + 4 + size > bytes.length) return undefined;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
    if (size === 0) return { text: Buffer.concat(parts).toString(), end: at };
  }
}
