const GROUP_SIZE = 4;

/** Runs the work on a few items at a time, because each needs a connection. Work that fails keeps no other: its error comes last. */
export async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < items.length; at += GROUP_SIZE) {
    const ended = await Promise.allSettled(items.slice(at, at + GROUP_SIZE).map(work));
    for (const one of ended) if (one.status === 'rejected') failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
}

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
