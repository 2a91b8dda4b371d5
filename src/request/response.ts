import type { Page } from '../shared/page.js';
import { constant, flag, list, NAME, nullable, object, type Schema, text } from './schema.js';

export type Headers = Readonly<Record<string, string>>;

type ResponseInit = Pick<HttpResponse, 'status' | 'body'> & Partial<HttpResponse>;

/** `body` is sent unchanged. */
export class HttpResponse {
  readonly status: number;
  readonly body: string;
  /** Path of the created resource. */
  readonly location: string | null;
  /** Whether the body contains a secret. It is then stored encrypted. */
  readonly hasSecret: boolean;
  /** UUID of what a response with 2xx to an idempotency key shows or changed, if it has one. Idempotency sets it. */
  readonly resourceId: string | null;
  /** Whether it was stored by an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** Added to the default headers, or replacing them. They are not stored with the response. */
  headers: Headers | undefined;

  constructor(response: ResponseInit) {
    this.status = response.status;
    this.body = response.body;
    this.location = response.location ?? null;
    this.hasSecret = response.hasSecret ?? false;
    this.resourceId = response.resourceId ?? null;
    this.replayed = response.replayed ?? false;
    this.headers = response.headers;
  }

  with(headers: Headers | undefined): this {
    this.headers = headers;
    return this;
  }
}

/** The response of a route that takes an idempotency key. Only Idempotency makes it, when the decision is written. */
export class IdempotentResponse extends HttpResponse {
  constructor(
    response: ResponseInit,
    /** Of the request with the key. A handler cannot return an HttpResponse in its place, which has none. */
    readonly fingerprint: Buffer | undefined,
  ) {
    super(response);
  }
}

/** The response to a request that changed what the view shows. */
export const changed = (view: unknown): HttpResponse =>
  new HttpResponse({ status: 200, body: JSON.stringify(view) });

/** A component, because some generators make the same type of `next_cursor` and `nextCursor`, twice. */
const NEXT_CURSOR: Schema<string | null> = {
  [NAME]: 'NextCursor',
  ...nullable(
    text(
      'The `cursor` for the next page; null on the last page, of `order=asc` only if it is empty.',
    ),
  ),
};

export function listOf<View>(name: string, view: Schema<View>) {
  return object(
    {
      object: constant('list', 'Object type.'),
      data: list(view, 'Items of the page.'),
      has_more: flag('Whether there are more items after this page.', { examples: [false] }),
      next_cursor: NEXT_CURSOR,
      items: list(view, 'The same as `data`.'),
      nextCursor: NEXT_CURSOR,
    },
    { name },
  );
}

/** Both names of the items have the same JSON, which is made once. */
export function listResponse<Item, View extends { readonly id: string }>(
  page: Page<Item>,
  view: (item: Item) => View,
  json: (view: View) => string = JSON.stringify,
): HttpResponse {
  const { hasMore, goesOn } = page;
  const views = page.items.map(view);
  const data = views.map((one) => json(one)).join(',');
  const cursor = JSON.stringify(((hasMore || goesOn) && views.at(-1)?.id) || null);
  const body = `{"object":"list","data":[${data}],"has_more":${hasMore},"next_cursor":${cursor},"items":[${data}],"nextCursor":${cursor}}`;
  return new HttpResponse({ status: 200, body });
}
