export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/**
 * Iterates over all items and reads further pages as needed: `for await (const session of
 * client.checkoutSessions.list())`.
 */
export class List<Item> implements AsyncIterable<Item> {
  constructor(private readonly read: (cursor?: string) => Promise<Page<Item>>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /**
   * Iterates over the pages. Pass the `next_cursor` of a page as `cursor` to another list to
   * continue there.
   */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.read();
    yield page;
    // Only the cursor decides whether another page follows.
    while (page.next_cursor) {
      page = await this.read(page.next_cursor);
      yield page;
    }
  }
}
