/** A keyset page request: `limit` items that come after the item `cursor` in the list's order. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Cuts a page from up to `limit + 1` items: the one too many only proves that there is more. */
export function pageOf<Item>(found: readonly Item[], limit: number): Page<Item> {
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
