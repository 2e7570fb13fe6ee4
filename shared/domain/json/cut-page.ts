/** A page of any list ends with the item that fills this many bytes. */
export const pageBytes = 4 * 1024 * 1024;

/** Returns the first items of a page: at most `limit`, and none behind the one that fills `pageBytes`. */
export function cutPage<Item>(items: readonly Item[], limit: number, bytesOf: (item: Item) => number): Item[] {
  let room = pageBytes;
  const past = items.findIndex((item, index) => {
    if (index >= limit || room <= 0) return true;
    room -= bytesOf(item);
    return false;
  });
  return past === -1 ? [...items] : items.slice(0, past);
}
