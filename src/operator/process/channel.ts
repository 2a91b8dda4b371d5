import type { EventEmitter } from 'node:events';

type Peer = EventEmitter & { send?: (message: object, callback: (error: Error | null) => void) => boolean };

type Handlers = Readonly<Record<string, (details: unknown) => unknown>>;

interface Message {
  readonly id: number;
  /** A message without one is the answer to the question with its id. */
  readonly question?: string;
  readonly details?: unknown;
  readonly result?: unknown;
  readonly fault?: string;
}

/** Requests and responses between a process and one that it forked, in both directions. */
export class Channel {
  private readonly waiting = new Map<number, (answer: Message) => void>();
  private asked = 0;

  constructor(
    private readonly peer: Peer,
    private readonly handlers: Handlers,
  ) {
    peer.on('message', (message: Message) => {
      if (message.question === undefined) this.waiting.get(message.id)?.(message);
      else void this.answer(message.id, message.question, message.details);
    });
    peer.once('disconnect', () => {
      for (const id of this.waiting.keys()) this.lose(id);
    });
  }

  async ask<Result>(question: string, details?: unknown): Promise<Result> {
    const id = ++this.asked;
    const { result, fault } = await new Promise<Message>((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ id, question, details });
    });
    this.waiting.delete(id);
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

  /** Without the callback, sending to a process that has just ended would throw. */
  private send(message: Message): void {
    this.peer.send?.(message, (error) => error && this.lose(message.id));
  }

  private lose(id: number): void {
    this.waiting.get(id)?.({ id, fault: 'The process at the other end is gone.' });
  }
}
