/** Tools answer with one page of a list and the cursor of the next one. */
import type { List } from '../../../client/src/index.js';

export const asQuery = <Filters extends { readonly limit: number }>({
  limit,
  ...filters
}: Filters) => ({ ...filters, limit: String(limit) as never });

export async function firstPage<Item>(list: List<Item>) {
  for await (const { data, next_cursor } of list.pages()) return { data, next_cursor };
  return { data: [], next_cursor: null };
}
