const GROUP_SIZE = 4;

/** Runs the work on a few items at a time, because each needs a connection. */
export async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += GROUP_SIZE) await Promise.all(items.slice(at, at + GROUP_SIZE).map(work));
}
