import type { EventEmitter } from 'node:events';

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

export class PeerError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join(' '));
  }
}

/** Requests and responses between a process and one that it forked, in both directions. */
export class Channel {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private asked = 0;

  /** `explain` turns an error of a handler into the text that the other process receives. */
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
    // Without the callback, sending to a process that has just ended would throw.
    this.peer.send?.(message, (error) => error && onLost());
  }
}
