import type { ThreadRecord } from "../../schemas/thread.ts";
import { isSearchable } from "../../domain/json/is-searchable.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { asJsonb } from "../contains-json.ts";
import type { Owner } from "../owned-by.ts";
import { query } from "../query.ts";
import { literal, raw, sql } from "../sql.ts";
import { whereClause } from "../where-clause.ts";
import { threadStatus } from "./thread-record.ts";

export type ThreadSearch = {
  ids?: readonly string[] | undefined;
  /** Fields that a thread's metadata must have. Its agent counts as `graph_id` and `assistant_id`. */
  metadata?: Record<string, unknown> | undefined;
  status?: ThreadRecord["status"] | undefined;
};

export const threadSorts = ["thread_id", "status", "created_at", "updated_at"] as const;

export type ThreadOrder = { sort_by: (typeof threadSorts)[number]; descending: boolean; limit: number; offset: number };

/** A search looks at so many threads at most, the newest ones. */
const looksAt = 10_000;

const sortColumns = { thread_id: "id", status: "status", created_at: "created_at", updated_at: "updated_at" } as const;

/** Returns the ids of a page of threads, and how many there are in all. Pages are counted, as LangGraph's clients ask for them. */
export async function searchThreads(
  db: Db,
  owner: Owner,
  { ids, metadata, status }: ThreadSearch,
  { sort_by, descending, limit, offset }: ThreadOrder,
): Promise<{ ids: string[]; total: number }> {
  const withStatus = status !== undefined || sort_by === "status";
  const wanted = metadata && JSON.stringify(metadata);
  // No row has such a text, as far as Postgres can tell.
  if (wanted !== undefined && !isSearchable(wanted)) return { ids: [], total: 0 };
  const within = whereClause([
    ["user_id = ?", owner],
    ["id = ANY(?::text[])", ids],
  ]);
  const filters = whereClause([
    [`${shownMetadata} @> ?::jsonb`, wanted],
    ["status = ?", status],
  ]);
  const direction = raw(descending ? "DESC" : "ASC");
  const rows = await query(
    db.sql,
    { ids: orNull(listOf(t.text)), total: t.integer },
    sql`
    WITH seen AS (
      SELECT * FROM threads WHERE ${within} ORDER BY created_at DESC, id DESC LIMIT ${literal(looksAt)}
    ), shown AS (
      SELECT t.*, ${withStatus ? threadStatus("t") : raw("NULL")} AS status FROM seen t
    ), found AS (
      SELECT id, created_at, updated_at, status FROM shown WHERE ${filters}
    )
    SELECT (SELECT array_agg(id ORDER BY at) FROM (
        SELECT id, row_number() OVER (ORDER BY ${raw(sortColumns[sort_by])} ${direction}, id ${direction}) AS at FROM found
        ORDER BY at LIMIT ${limit}::int OFFSET ${offset}::int) AS page) AS ids,
      (SELECT count(*)::int FROM found) AS total`,
  );
  return { ids: [...(rows[0]?.ids ?? [])], total: rows[0]?.total ?? 0 };
}

/** SQL: the metadata of a row of `threads`, and its agent by LangGraph's names. */
const shownMetadata = `(jsonb_strip_nulls(jsonb_build_object('graph_id', agent_id, 'assistant_id', agent_id))
  || coalesce(${asJsonb("metadata")}, '{}'))`;
