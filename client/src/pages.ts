/** A list, page by page behind the scenes: `for await (const session of client.checkoutSessions.list())`. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export class List<Item> implements AsyncIterable<Item> {
  constructor(private readonly read: (cursor?: string) => Promise<Page<Item>>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The same page by page; each one's `next_cursor` is where another list can go on. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page = await this.read();
    yield page;
    // Whatever else may be missing from it, only a page with a cursor has another after it.
    while (page.next_cursor) {
      page = await this.read(page.next_cursor);
      yield page;
    }
  }
}
