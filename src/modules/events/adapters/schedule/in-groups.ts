const TOGETHER = 4;

/** A few at a time: each is a statement. */
export async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += TOGETHER) await Promise.all(items.slice(at, at + TOGETHER).map(work));
}
