/** What a response says of its outcome. `body` is the very text that is sent; `location` the path of what was created. */
export interface ResponseParts {
  readonly status: number;
  readonly body: string;
  readonly location?: string | null;
  /** Whether the body shows a secret: it is then stored encrypted. */
  readonly hasSecret?: boolean;
}

type Headers = Readonly<Record<string, string>>;

/** An HTTP response that is sent as it is, to the byte. */
export class HttpResponse {
  readonly status: number;
  readonly body: string;
  readonly location: string | null;
  /** Beside the usual headers, or in their place. They are not stored with the response. */
  headers: Headers | undefined = undefined;
  readonly hasSecret: boolean;

  constructor(
    { status, body, location = null, hasSecret = false }: ResponseParts,
    /** Whether this is the response to an earlier request with the same idempotency key. */
    readonly replayed: boolean = false,
  ) {
    this.status = status;
    this.body = body;
    this.location = location;
    this.hasSecret = hasSecret;
  }

  with(headers: Headers): this {
    this.headers = headers;
    return this;
  }
}
