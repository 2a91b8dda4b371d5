/** `body` is sent unchanged. `location` is the path of the created resource. */
export interface ResponseParts {
  readonly status: number;
  readonly body: string;
  readonly location?: string | null;
  /** Whether the body contains a secret. It is then stored encrypted. */
  readonly hasSecret?: boolean;
}

export type Headers = Readonly<Record<string, string>>;

export class HttpResponse {
  readonly status: number;
  readonly body: string;
  readonly location: string | null;
  /** Added to the default headers, or replacing them. They are not stored with the response. */
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

  with(headers: Headers | undefined): this {
    this.headers = headers;
    return this;
  }
}
