/**
 * A keyset page request asks for `limit` items that come after the item `cursor` in the list's
 * order.
 */
export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** The page has the items that were created from `from` until before `to`, in milliseconds. */
export interface CreatedPageRequest extends PageRequest {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Readers go on after the last item even if no more follow yet, if this is true. */
  readonly goesOn?: boolean;
}

/**
 * Makes a page from up to `limit + 1` items, or from all items. The item above the limit only shows
 * that there are more.
 */
export function pageOf<Item>(found: readonly Item[], limit = Number.POSITIVE_INFINITY): Page<Item> {
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
