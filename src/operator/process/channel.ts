import { EventEmitter, once } from 'node:events';

type Peer = EventEmitter & {
  send?: (message: object, callback: (error: Error | null) => void) => boolean;
};

type Handlers = Readonly<Record<string, (details: unknown) => unknown>>;

interface Message {
  readonly id: number;
  /** A message without a question is the answer to the question with its ID. */
  readonly question?: string;
  readonly details?: unknown;
  readonly result?: unknown;
  readonly fault?: string;
}

/**
 * A channel carries requests and responses between a process and one that it forked, in both
 * directions.
 */
export class Channel {
  /** An answer is an event that is named by its ID, and an error ends all questions. */
  private readonly answers = new EventEmitter().setMaxListeners(0).on('error', () => undefined);
  private asked = 0;

  constructor(
    private readonly peer: Peer,
    private readonly handlers: Handlers,
  ) {
    peer.on('message', (message: Message) => {
      if (message.question === undefined) this.answers.emit(`${message.id}`, message);
      else void this.answer(message.id, message.question, message.details);
    });
    peer.once('disconnect', () =>
      this.answers.emit('error', new Error('The process at the other end is gone.')),
    );
  }

  async ask<Result>(question: string, details?: unknown): Promise<Result> {
    const id = ++this.asked;
    const answered = once(this.answers, `${id}`);
    this.send({ id, question, details });
    const [{ result, fault }] = (await answered) as [Message];
    if (fault !== undefined) throw new Error(fault);
    return result as Result;
  }

  private async answer(id: number, question: string, details: unknown): Promise<void> {
    try {
      this.send({ id, result: await this.handlers[question]?.(details) });
    } catch (error) {
      this.send({ id, fault: (error as Error).message });
    }
  }

  /** Sending to a process that has just ended would throw if there were no callback. */
  private send(message: Message): void {
    this.peer.send?.(message, (error) => error && this.answers.emit('error', error));
  }
}
