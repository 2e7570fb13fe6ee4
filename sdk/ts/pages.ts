/** `last_id`: what the next page comes after. Of a list whose rows have a place, it is the last one's `place`. */
export type Page<Item> = { data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** A page as the service answers it: with ids, or with a place. */
export type AnsweredPage<Item> = Pick<Page<Item>, "data" | "has_more"> & { last_place?: number | null };

/** A list: `for await (const item of list)` reads page after page; `await list.page()` is the first page alone. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #read: (after: string | undefined) => Promise<AnsweredPage<Item>>;

  constructor(read: (after: string | undefined) => Promise<AnsweredPage<Item>>) {
    this.#read = read;
  }

  /** Returns one page. `after`: the `last_id` of the page before. */
  async page(after?: string): Promise<Page<Item>> {
    const answer = await this.#read(after);
    const { last_place } = answer;
    return { first_id: null, last_id: typeof last_place === "number" ? String(last_place) : null, ...answer };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    let after: string | undefined;
    for (;;) {
      const { data, has_more, last_id } = await this.page(after);
      yield* data;
      if (!has_more || last_id === null) return;
      after = last_id;
    }
  }
}
