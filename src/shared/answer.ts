/** An HTTP answer as it is sent and, for a retried write, stored: the very bytes. `location` is the path of what was made. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: string,
    readonly location: string | null = null,
    /** Whether this is the answer to an earlier request with the same idempotency key. */
    readonly replayed: boolean = false,
  ) {}
}

/**
 * The answer to a write under an idempotency key. A repository stores it in the statement that writes the resource, so
 * that after a crash there is either both or neither.
 */
export interface KeptAnswer {
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly retentionSeconds: number;
  readonly answer: Answer;
}

/** Renders what a use case is about to write into the answer that is kept with it. */
export type Keep<Entity> = (entity: Entity) => KeptAnswer;
