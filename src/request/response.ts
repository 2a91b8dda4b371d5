import type { Page } from '../shared/page.js';
import { constant, flag, list, NAME, nullable, object, type Schema, text } from './schema.js';

export type Headers = Readonly<Record<string, string>>;

type ResponseInit = Pick<HttpResponse, 'status' | 'body'> & Partial<HttpResponse>;

/** The `body` is sent unchanged. */
export class HttpResponse {
  readonly status: number;
  readonly body: string;
  /** This is the path of the created resource. */
  readonly location: string | null;
  /** The body contains a secret if this is true. It is then stored encrypted. */
  readonly hasSecret: boolean;
  /**
   * This is the UUID of the resource that a response with 2xx to an idempotency key shows or
   * changed, if it has one. Idempotency sets it.
   */
  readonly resourceId: string | null;
  /**
   * The response was stored by an earlier request with the same idempotency key if this is true.
   */
  readonly replayed: boolean;
  /**
   * These headers are added to the default ones, or replace them. They are not stored with the
   * response.
   */
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

/**
 * This is the response of a route that takes an idempotency key. Only Idempotency makes it, when
 * the decision is written.
 */
export class IdempotentResponse extends HttpResponse {
  constructor(
    response: ResponseInit,
    /**
     * The fingerprint belongs to the request with the key. A handler cannot return an HttpResponse
     * instead, because that has none.
     */
    readonly fingerprint: Buffer | undefined,
  ) {
    super(response);
  }
}

/** Makes the response to a request that changed what the view shows. */
export const changed = (view: unknown): HttpResponse =>
  new HttpResponse({ status: 200, body: JSON.stringify(view) });

/**
 * The schema is a component, because some generators would otherwise make the same type twice, for
 * `next_cursor` and `nextCursor`.
 */
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

/**
 * Both names of the items have the same JSON, which is made once. `arrayJson` makes an array of the
 * views.
 */
export function listResponse<Item, View extends { readonly id: string }>(
  page: Page<Item>,
  view: (item: Item) => View,
  arrayJson: (views: readonly View[]) => string = JSON.stringify,
): HttpResponse {
  const { hasMore, goesOn } = page;
  const views = page.items.map(view);
  const data = arrayJson(views);
  const cursor = JSON.stringify(((hasMore || goesOn) && views.at(-1)?.id) || null);
  const body =
    `{"object":"list","data":${data},"has_more":${hasMore},"next_cursor":${cursor},` +
    `"items":${data},"nextCursor":${cursor}}`;
  return new HttpResponse({ status: 200, body });
}
