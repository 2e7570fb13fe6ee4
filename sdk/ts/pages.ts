export type Page<Item> = { data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** A list: `for await (const item of list)` reads page after page; `await list.page()` is the first page alone. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #read: (after: string | undefined) => Promise<Page<Item>>;

  constructor(read: (after: string | undefined) => Promise<Page<Item>>) {
    this.#read = read;
  }

  /** Returns one page. `after`: the `last_id` of the page before. */
  page(after?: string): Promise<Page<Item>> {
    return this.#read(after);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    let after: string | undefined;
    for (;;) {
      const { data, has_more, last_id } = await this.#read(after);
      yield* data;
      if (!has_more || last_id === null) return;
      after = last_id;
    }
  }
}
