import { filterConditions, type FilterOperator, type StoreItemRecord } from "../../schemas/store.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { inTransaction } from "../in-transaction.ts";
import { query } from "../query.ts";
import { pageBytes } from "../../domain/json/cut-page.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const columns = {
  user_id: t.text,
  namespace: t.text,
  key: t.text,
  value: t.json<Record<string, unknown>>(),
  expires_at: orNull(t.timestamptz),
  created_at: t.timestamptz,
  updated_at: t.timestamptz,
};

const shown = raw("user_id, namespace, key, value::json AS value, expires_at, created_at, updated_at");
const isAlive = sql`coalesce(expires_at > now(), true)`;

const toRecord = ({ user_id, key, value, ...row }: Row<typeof columns>): StoreItemRecord => ({
  object: "store_item",
  user_id,
  namespace: row.namespace.split("."),
  key,
  value,
  expires_at: row.expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Names an item of a user. */
type ItemName = { user_id: string; namespace: string[]; key: string };

type NewItem = ItemName & { value: Record<string, unknown>; ttl_ms: number | null };

/** Writes an item over the one that is there. Null: it would be one more, and its user has `most` already. */
export async function putItem(db: Db, item: NewItem, most: number): Promise<StoreItemRecord | null> {
  const { user_id } = item;
  const row = rowOf(item);
  const known = await update.first(db.sql, row);
  if (known) return toRecord(known);
  return db.withMutex(userLockName("store_items", user_id), () =>
    inTransaction(db, async (client) => {
      await removeExpired.count(client, nameOf(item));
      if (!(await isBelowUserLimit(client, { thing: "store_items", user_id, most }))) return null;
      const made = await insert.first(client, row);
      return made && toRecord(made);
    }),
  );
}

const nameOf = ({ user_id, namespace, key }: ItemName) => ({ user_id, namespace: namespace.join("."), key });
const rowOf = ({ value, ttl_ms, ...item }: NewItem) => ({ ...nameOf(item), value, ttl_ms });

const name = { user_id: t.text, namespace: t.text, key: t.text };
const given = { ...name, value: t.json<Record<string, unknown>>(), ttl_ms: orNull(t.double) };
const isNamed = sql`user_id = $user_id AND namespace = $namespace AND key = $key`;
const expiry = sql`now() + $ttl_ms * interval '1 ms'`;

const update = statement({
  name: "update-store-item",
  takes: given,
  gives: columns,
  text: sql`
    UPDATE store_items SET value = $value::jsonb, ttl_ms = $ttl_ms::bigint, expires_at = ${expiry}, updated_at = now()
    WHERE ${isNamed} AND ${isAlive} RETURNING ${shown}`,
});

const removeExpired = statement({
  name: "remove-expired-store-item",
  takes: name,
  text: sql`DELETE FROM store_items WHERE ${isNamed} AND NOT ${isAlive}`,
});

const insert = statement({
  name: "insert-store-item",
  takes: given,
  gives: columns,
  text: sql`
    INSERT INTO store_items (user_id, namespace, key, value, ttl_ms, expires_at)
    VALUES ($user_id, $namespace, $key, $value::jsonb, $ttl_ms::bigint, ${expiry})
    ON CONFLICT (user_id, namespace, key) DO UPDATE
      SET value = excluded.value, ttl_ms = excluded.ttl_ms, expires_at = excluded.expires_at, updated_at = now()
    RETURNING ${shown}`,
});

/** Reads an item. `refresh`: an item with a time to live begins it anew. Null: there is none. */
export async function readItem(db: Db, item: ItemName, refresh: boolean): Promise<StoreItemRecord | null> {
  const row = await read.first(db.sql, nameOf(item));
  if (!row?.expires_at || !refresh) return row && toRecord(row);
  const [fresh] = await prolong.rows(db.sql, namesOf([row]));
  return toRecord({ ...row, expires_at: fresh?.expires_at ?? row.expires_at });
}

/** Items of one user. */
const namesOf = (rows: readonly Row<typeof columns>[]) => ({
  user_id: rows[0]?.user_id ?? "",
  namespaces: rows.map(({ namespace }) => namespace),
  keys: rows.map(({ key }) => key),
});

const read = statement({
  name: "read-store-item",
  takes: name,
  gives: columns,
  text: sql`SELECT ${shown} FROM store_items WHERE ${isNamed} AND ${isAlive}`,
});

const prolong = statement({
  name: "prolong-store-items",
  takes: { user_id: t.text, namespaces: listOf(t.text), keys: listOf(t.text) },
  gives: { expires_at: orNull(t.timestamptz) },
  text: sql`
    UPDATE store_items SET expires_at = now() + ttl_ms * interval '1 ms'
    FROM unnest($namespaces, $keys) AS named (namespace, key)
    WHERE user_id = $user_id AND store_items.namespace = named.namespace AND store_items.key = named.key
      AND ttl_ms IS NOT NULL AND ${isAlive}
    RETURNING expires_at`,
});

/** Returns false when there is no such item. */
export async function deleteItem(db: Db, item: ItemName): Promise<boolean> {
  return (await remove.count(db.sql, nameOf(item))) === 1;
}

const remove = statement({
  name: "delete-store-item",
  takes: name,
  text: sql`DELETE FROM store_items WHERE ${isNamed} AND ${isAlive}`,
});

type ItemSearch = {
  user_id: string;
  namespace_prefix: string[];
  filter: Record<string, unknown> | null;
  limit: number;
  offset: number;
  refresh: boolean;
};

/** Finds items, the newest first: at most `limit`, and none behind the one that fills `pageBytes`. */
export async function searchItems(
  db: Db,
  search: ItemSearch,
): Promise<{ items: StoreItemRecord[]; has_more: boolean }> {
  const { user_id, namespace_prefix, filter, limit, offset, refresh } = search;
  const prefix = namespace_prefix.join(".");
  const conditions = filterConditions(filter ?? {}).map(conditionSql);
  const rows = await query(
    db.sql,
    { ...columns, found: t.integer },
    sql`
    SELECT ${shown}, found FROM (
      SELECT *, (count(*) OVER ())::int AS found, sum(octet_length(value::text)) OVER (
        ORDER BY updated_at DESC, namespace, key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_ahead
      FROM (
        SELECT * FROM store_items
        WHERE user_id = ${user_id} AND ${isAlive}
          AND (${prefix}::text = '' OR namespace = ${prefix} OR starts_with(namespace, ${`${prefix}.`}))
          AND ${joined([sql`true`, ...conditions], " AND ")}
        ORDER BY updated_at DESC, namespace, key LIMIT ${limit + 1}::int OFFSET ${offset}::int
      ) AS listed
    ) AS page WHERE coalesce(bytes_ahead, 0) < ${literal(pageBytes)}
    ORDER BY updated_at DESC, namespace, key`,
  );
  const items = rows.slice(0, limit);
  const living = items.filter(({ expires_at }) => expires_at !== null);
  if (refresh && living.length > 0) await prolong.count(db.sql, namesOf(living));
  return { items: items.map(toRecord), has_more: (rows[0]?.found ?? 0) > items.length };
}

const comparisons: Readonly<Record<FilterOperator, string>> = {
  $eq: "=",
  $ne: "IS DISTINCT FROM",
  $gt: ">",
  $gte: ">=",
  $lt: "<",
  $lte: "<=",
};

/** A field is greater or less than a value of its own type only. */
function conditionSql({ name: field, operator, value }: ReturnType<typeof filterConditions>[number]): Sql {
  const at = sql`(value->${field}::text)`;
  const wanted = sql`${JSON.stringify(value ?? null)}::jsonb`;
  const compared = sql`${at} ${raw(comparisons[operator])} ${wanted}`;
  if (operator === "$eq" || operator === "$ne") return compared;
  return sql`(jsonb_typeof(${at}) = jsonb_typeof(${wanted}) AND ${compared})`;
}

type NamespaceSearch = {
  user_id: string;
  prefix: string[];
  suffix: string[];
  max_depth: number | null;
  limit: number;
  offset: number;
};

/** Returns the namespaces that have items, in their order; one more than `limit` when there are more. */
export async function listNamespaces(db: Db, { limit, ...search }: NamespaceSearch): Promise<string[][]> {
  const rows = await namespaces.rows(db.sql, { ...search, limit: limit + 1 });
  return rows.map(({ namespace }) => [...namespace]);
}

const namespaces = statement({
  name: "list-store-namespaces",
  takes: {
    user_id: t.text,
    prefix: listOf(t.text),
    suffix: listOf(t.text),
    max_depth: orNull(t.integer),
    limit: t.integer,
    offset: t.integer,
  },
  gives: { namespace: listOf(t.text) },
  text: sql`
    SELECT DISTINCT labels[1:coalesce($max_depth, cardinality(labels))] AS namespace
    FROM store_items, string_to_array(store_items.namespace, '.') AS labels
    WHERE user_id = $user_id AND ${isAlive}
      AND cardinality(labels) >= greatest(cardinality($prefix), cardinality($suffix))
      AND NOT EXISTS (
        SELECT 1 FROM unnest($prefix) WITH ORDINALITY AS wanted (label, at)
        WHERE wanted.label <> '*' AND wanted.label <> labels[wanted.at])
      AND NOT EXISTS (
        SELECT 1 FROM unnest($suffix) WITH ORDINALITY AS wanted (label, at)
        WHERE wanted.label <> '*' AND wanted.label <> labels[cardinality(labels) - cardinality($suffix) + wanted.at])
    ORDER BY 1 LIMIT $limit OFFSET $offset`,
});
