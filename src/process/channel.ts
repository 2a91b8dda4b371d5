import type { EventEmitter } from 'node:events';

/** The process at the other end: the one that was forked or, seen from there, this process itself. */
type Peer = EventEmitter & { send?: (message: object, callback: (error: Error | null) => void) => boolean };

type Handlers = Readonly<Record<string, (details: unknown) => unknown>>;

const ENDED: readonly string[] = ['The process at the other end is gone.'];

interface Question {
  readonly question: string;
  readonly details: unknown;
  readonly id: number;
}

interface Reply {
  readonly answers: number;
  readonly result?: unknown;
  readonly faults?: readonly string[];
}

/** What went wrong at the other end, in the words that were found there. */
export class PeerError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join(' '));
  }
}

/** Questions and answers between a process and one it forked, in both directions. */
export class Channel {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private asked = 0;

  /** `explain` puts an error of a handler into words: of an error object only the message would cross. */
  constructor(
    private readonly peer: Peer,
    private readonly handlers: Handlers,
    private readonly explain: (error: unknown) => readonly string[],
  ) {
    peer.on('message', (message: Question | Reply) => {
      if ('question' in message) void this.answer(message);
      else if ('answers' in message) this.waiting.get(message.answers)?.(message);
    });
    peer.once('disconnect', () => {
      for (const settle of this.waiting.values()) settle({ answers: 0, faults: ENDED });
    });
  }

  /** Throws PeerError: what the other end says is wrong, or that it has ended. */
  async ask<Result>(question: string, details?: unknown): Promise<Result> {
    const id = ++this.asked;
    const reply = await new Promise<Reply>((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ question, details, id }, () => resolve({ answers: id, faults: ENDED }));
    });
    this.waiting.delete(id);
    if (reply.faults) throw new PeerError(reply.faults);
    return reply.result as Result;
  }

  private async answer({ question, details, id }: Question): Promise<void> {
    try {
      this.send({ answers: id, result: await this.handlers[question]?.(details) });
    } catch (error) {
      this.send({ answers: id, faults: this.explain(error) });
    }
  }

  private send(message: Question | Reply, onLost: () => void = () => undefined): void {
    // A peer that has just ended is no fault of whoever answers it.
    this.peer.send?.(message, (error) => error && onLost());
  }
}
