export type Headers = Readonly<Record<string, string>>;

/** `body` is sent unchanged. `location` is the path of the created resource. */
export interface ResponseParts {
  readonly status: number;
  readonly body: string;
  readonly location?: string | null;
  /** Whether the body contains a secret. It is then stored encrypted. */
  readonly hasSecret?: boolean;
}

/** The response to a request that changed what the view shows. */
export const changed = (view: unknown): ResponseParts => ({ status: 200, body: JSON.stringify(view) });

export class HttpResponse {
  /** Added to the default headers, or replacing them. They are not stored with the response. */
  headers: Headers | undefined = undefined;

  constructor(
    readonly parts: ResponseParts,
    /** Whether this is the response to an earlier request with the same idempotency key. */
    readonly replayed: boolean = false,
  ) {}

  with(headers: Headers | undefined): this {
    this.headers = headers;
    return this;
  }
}

/** The response of a route that takes an idempotency key. Only Idempotency makes it, when the decision is written. */
export class IdempotentResponse extends HttpResponse {
  /** A member that HttpResponse lacks, so that the compiler refuses a handler that returns an HttpResponse. */
  declare protected readonly madeBy: 'Idempotency';
}
