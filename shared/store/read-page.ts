import type { Db } from "./client.ts";
import { t } from "./columns.ts";
import { query } from "./query.ts";
import { joined, literal, raw, type Sql, sql } from "./sql.ts";
import { pageBytes } from "../domain/json/cut-page.ts";
import { ValidationFault } from "../domain/errors/validation-fault.ts";
import { type Condition, whereClause } from "./where-clause.ts";

export type PageRequest = { limit: number; after?: string | undefined; order: "asc" | "desc" };

export type Page<Item> = { data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** The rows of a table that a list shows, in the order of (`by`, key). Its texts are ours, never a client's. */
export type Listing<Item> = {
  table: string;
  key: keyof Item & string;
  /** SQL of what the rows are in order of, which no row lacks. Without it: when they were created. */
  by?: string;
  /** Whose rows, and of which parent; an `after` that names none of these is refused. */
  within: readonly Condition[];
  filters?: readonly Condition[];
  /**
   * Filters that no index serves. A page then looks at 10,000 rows at most: where it found too few among them it comes
   * short, or empty, with `has_more`, and its `last_id` is where the next one goes on.
   */
  unindexed?: readonly Condition[];
  /**
   * SQL of the bytes of each part that `load` reads and whose size a client or an agent decides, such as `bytesOf("metadata")`. The
   * page ends with the item that fills `pageBytes`, so that no page needs more memory than that and one item.
   */
  bytes: readonly string[];
  /** Fewer than these 10,000, where looking at one row takes long. */
  looksAt?: number;
  /** The items of these keys, in any order. */
  load: (keys: string[]) => Promise<Item[]>;
};

/** A page of a list with filters that no index serves looks at so many rows. */
export const mostLookedAt = 10_000;

/** SQL of the bytes of a JSON column. */
export const bytesOf = (column: string): string => `coalesce(octet_length(${column}::text), 0)`;

/**
 * One page by keyset: as fast on the thousandth page as on the first, and steady while rows are added. Throws
 * ValidationFault where `after` names no row (any more): an empty page would tell that the list ends there.
 */
export async function readPage<Item>(db: Db, listing: Listing<Item>, page: PageRequest): Promise<Page<Item>> {
  const { found, horizon } = await findKeys(db, listing, page);
  if (found.length === 0 && page.after !== undefined && !(await isThere(db, listing, page.after))) throw strayCursor();
  const keys = await takeFitting(db, listing, found.slice(0, page.limit));
  const items = new Map((keys.length > 0 ? await listing.load(keys) : []).map((item) => [item[listing.key], item]));
  // A row may have gone between the two reads.
  const data = keys.flatMap((name) => items.get(name as Item[keyof Item & string]) ?? []);
  const full = found.length > keys.length;
  const last_id = (full ? undefined : horizon) ?? keys.at(-1) ?? null;
  return { data, has_more: full || horizon !== undefined, first_id: keys[0] ?? null, last_id };
}

/** Postgres reads a part to measure it. So the parts of few items are measured first, and of more once those have fitted. */
const measuredAtOnce = [10, 30, 60];

/** Returns the first keys whose items fit a page, and one at least. */
async function takeFitting<Item>(
  db: Db,
  { table, key, within, bytes }: Listing<Item>,
  keys: string[],
): Promise<string[]> {
  if (bytes.length === 0) return keys;
  const fitting: string[] = [];
  let room = pageBytes;
  for (const count of measuredAtOnce) {
    const next = keys.slice(fitting.length, fitting.length + count);
    if (next.length === 0) break;
    const rows = await query(
      db.sql,
      { key: t.text, bytes: t.double },
      sql`SELECT ${raw(key)} AS key, (${joined(bytes.map(raw), " + ")})::float8 AS bytes FROM ${raw(table)}
      WHERE ${whereClause([...within, [`${key} = ANY(?)`, next]])}`,
    );
    const sizes = new Map(rows.map((row) => [row.key, row.bytes]));
    for (const name of next) {
      if (room <= 0) return fitting;
      fitting.push(name);
      room -= sizes.get(name) ?? 0;
    }
  }
  return fitting;
}

async function isThere<Item>(db: Db, { table, key, within }: Listing<Item>, named: string): Promise<boolean> {
  const where = whereClause([...within, [`${key} = ?`, named]]);
  return (await query(db.sql, {}, sql`SELECT FROM ${raw(table)} WHERE ${where}`)).length > 0;
}

const strayCursor = () =>
  new ValidationFault([
    { type: "value_error", loc: ["query", "after"], msg: "Value error, names nothing in this list" },
  ]);

type PageRows = {
  /** One more than the page has room for, where there are more. */
  found: string[];
  /** The last row that was looked at, where there are more behind it. */
  horizon: string | undefined;
};

async function findKeys<Item>(db: Db, listing: Listing<Item>, { limit, after, order }: PageRequest): Promise<PageRows> {
  const { table, key, within, by = "created_at", filters = [], unindexed = [], looksAt = mostLookedAt } = listing;
  const where = [whereClause(within), whereClause(filters)];
  const [on, back] = order === "desc" ? ["<", ">="] : [">", "<="];
  const isAt = (compare: string, named: string): Sql =>
    sql`(${raw(by)}, ${raw(key)}) ${raw(compare)} (SELECT ${raw(by)}, ${raw(key)} FROM ${raw(table)}
      WHERE ${whereClause([...within, [`${key} = ?`, named]])})`;
  const inOrder = raw(`${by} ${order}, ${key} ${order}`);
  const read = async (from: Sql, conditions: readonly Sql[], skipped: number, count: number): Promise<string[]> => {
    const rows = await query(
      db.sql,
      { key: t.text },
      sql`SELECT ${raw(key)} AS key FROM ${from} WHERE ${joined(conditions, " AND ")}
       ORDER BY ${inOrder} OFFSET ${literal(skipped)} LIMIT ${literal(count)}`,
    );
    return rows.map((row) => row.key);
  };
  if (after !== undefined) where.push(isAt(on, after));
  const rows = raw(table);
  if (unindexed.every(([, value]) => value == null))
    return { found: await read(rows, where, 0, limit + 1), horizon: undefined };
  const [horizon] = await read(rows, where, looksAt - 1, 1);
  if (horizon !== undefined) where.push(isAt(back, horizon));
  // A subquery with a limit: for a rare value the planner could else read the whole table. The limit leaves room for new rows.
  const looked = sql`(SELECT * FROM ${rows} WHERE ${joined(where, " AND ")} ORDER BY ${inOrder}
    LIMIT ${literal(2 * looksAt)}) AS ${raw(nameOf(table))}`;
  return { found: await read(looked, [whereClause(unindexed)], 0, limit + 1), horizon };
}

/** What conditions call a table: a subquery in its place ends with its name. */
const nameOf = (table: string): string => table.slice(table.lastIndexOf(" ") + 1);
