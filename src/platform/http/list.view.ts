import type { Page } from '../../shared/page.js';
import { constant, flag, list, nullable, object, type Schema, text, type ValueOf } from './schema.js';

export function listOf<View>(name: string, view: Schema<View>, last = 'null on the last page') {
  return object(
    {
      object: constant('list', 'Object type.'),
      data: list(view, 'Items of the page.'),
      has_more: { ...flag('Whether there are more items after this page.'), examples: [false] },
      next_cursor: nullable(text(`The \`cursor\` for the next page; ${last}.`)),
      items: list(view, 'The same as `data`.'),
      nextCursor: nullable(text('The same as `next_cursor`.')),
    },
    { name },
  );
}

type ListView<View> = ValueOf<ReturnType<typeof listOf<View>>>;

export function listView<Item, View extends { readonly id: string }>(
  page: Page<Item>,
  view: (item: Item) => View,
): ListView<View> {
  const data = page.items.map(view);
  const cursor = page.hasMore ? (data.at(-1)?.id ?? null) : null;
  return { object: 'list', data, has_more: page.hasMore, next_cursor: cursor, items: data, nextCursor: cursor };
}

export function listJson<Item extends { readonly id: string }>(page: Page<Item>, json: (item: Item) => string): string {
  const { items, hasMore, goesOn } = page;
  const data = items.map((item) => json(item)).join(',');
  const cursor = JSON.stringify(((hasMore || goesOn) && items.at(-1)?.id) || null);
  return `{"object":"list","data":[${data}],"has_more":${hasMore},"next_cursor":${cursor},"items":[${data}],"nextCursor":${cursor}}`;
}
