import type { Db } from "./client.ts";
import { type Condition, spellConditions } from "./spell-conditions.ts";

export type PageRequest = { limit: number; after?: string | undefined; order: "asc" | "desc" };

export type Page<Item> = { data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** The rows of a table that a list shows, in the order of (created_at, key). Its texts are ours, never a client's. */
export type Listing<Item> = {
  table: string;
  key: keyof Item & string;
  /** Whose rows, and of which parent; an `after` that names none of these gives an empty page. */
  within: readonly Condition[];
  filters?: readonly Condition[];
  /** The items of these keys, in any order. */
  load: (keys: string[]) => Promise<Item[]>;
};

/** One page by keyset: as fast on the thousandth page as on the first, and steady while rows are added. */
export async function readPage<Item>(db: Db, listing: Listing<Item>, page: PageRequest): Promise<Page<Item>> {
  const { table, key, within, filters = [], load } = listing;
  const values: unknown[] = [];
  const where = [spellConditions(within, values), spellConditions(filters, values)];
  if (page.after !== undefined) {
    const start = spellConditions([...within, [`${key} = ?`, page.after]], values);
    const beyond = page.order === "desc" ? "<" : ">";
    where.push(`(created_at, ${key}) ${beyond} (SELECT created_at, ${key} FROM ${table} WHERE ${start})`);
  }
  values.push(page.limit + 1);
  const { rows } = await db.sql.query<{ key: string }>(
    `SELECT ${key} AS key FROM ${table} WHERE ${where.join(" AND ")}
     ORDER BY created_at ${page.order}, ${key} ${page.order} LIMIT $${values.length}`,
    values,
  );
  const keys = rows.slice(0, page.limit).map((row) => row.key);
  const items = new Map((keys.length > 0 ? await load(keys) : []).map((item) => [item[key], item]));
  // A row may have gone between the two reads.
  const data = keys.flatMap((name) => items.get(name as Item[keyof Item & string]) ?? []);
  return { data, has_more: rows.length > page.limit, first_id: keys[0] ?? null, last_id: keys.at(-1) ?? null };
}
