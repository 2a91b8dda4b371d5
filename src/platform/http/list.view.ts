import type { Page } from '../../shared/page.js';

/** The list envelope of interface document 4.3. The next page's cursor is the id of this page's last item. */
export function listView<Item, View extends { readonly id: string }>(page: Page<Item>, view: (item: Item) => View) {
  const data = page.items.map(view);
  const cursor = page.hasMore ? (data.at(-1)?.id ?? null) : null;
  return { object: 'list', data, has_more: page.hasMore, next_cursor: cursor, items: data, nextCursor: cursor };
}
