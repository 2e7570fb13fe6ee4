import { isSearchable } from "../../domain/json/is-searchable.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { containsJson } from "../contains-json.ts";
import type { Owner } from "../owned-by.ts";
import { query } from "../query.ts";
import { literal, raw, sql } from "../sql.ts";
import { searchPattern } from "../search-pattern.ts";
import { statement } from "../statement.ts";
import { whereClause } from "../where-clause.ts";

const columns = {
  id: t.text,
  name: t.text,
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.timestamptz,
  updated_at: t.timestamptz,
  version: t.integer,
};

/** An agent without its config. `version`: how many versions were published up to its current one. */
export type AgentSummary = Row<typeof columns>;

type AgentSearch = {
  id?: string | undefined;
  name?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
};

const agentSorts = ["id", "name", "created_at", "updated_at"] as const;

type AgentOrder = { sort_by: (typeof agentSorts)[number]; descending: boolean; limit: number; offset: number };

/** A search looks at so many agents at most, the newest ones. */
const looksAt = 10_000;

/** Returns the ids of a page of agents, and how many there are in all. Pages are counted, as LangGraph's clients ask for them. */
export async function searchAgents(
  db: Db,
  owner: Owner,
  { id, name, metadata }: AgentSearch,
  { sort_by, descending, limit, offset }: AgentOrder,
): Promise<{ ids: string[]; total: number }> {
  const wanted = metadata && JSON.stringify(metadata);
  // No row has such a text, as far as Postgres can tell.
  if (wanted !== undefined && !isSearchable(wanted)) return { ids: [], total: 0 };
  const within = whereClause([
    ["user_id = ?", owner],
    ["id = ?", id],
  ]);
  const filters = whereClause([
    ["name ILIKE ?", searchPattern(name)],
    [containsJson("metadata"), wanted],
  ]);
  const direction = raw(descending ? "DESC" : "ASC");
  const rows = await query(
    db.sql,
    { ids: orNull(listOf(t.text)), total: t.integer },
    sql`
    WITH seen AS (
      SELECT * FROM agents WHERE ${within} ORDER BY created_at DESC, id DESC LIMIT ${literal(looksAt)}
    ), found AS (
      SELECT * FROM seen WHERE ${filters}
    )
    SELECT (SELECT array_agg(id ORDER BY at) FROM (
        SELECT id, row_number() OVER (ORDER BY ${raw(sort_by)} ${direction}, id ${direction}) AS at FROM found
        ORDER BY at LIMIT ${limit}::int OFFSET ${offset}::int) AS page) AS ids,
      (SELECT count(*)::int FROM found) AS total`,
  );
  return { ids: [...(rows[0]?.ids ?? [])], total: rows[0]?.total ?? 0 };
}

/** Reads the owner's agents of these ids, in their order. */
export async function readAgentSummaries(db: Db, ids: readonly string[], owner: Owner): Promise<AgentSummary[]> {
  return read.rows(db.sql, { ids, owner });
}

const read = statement({
  name: "read-agent-summaries",
  takes: { ids: listOf(t.text), owner: orNull(t.text) },
  gives: columns,
  text: sql`
    SELECT a.id, a.name, a.metadata, a.created_at, a.updated_at, (
        SELECT count(*)::int FROM agent_versions v, agent_versions c
        WHERE v.agent_id = a.id AND c.agent_id = a.id AND c.version = a.current_version
          AND (v.created_at, v.version) <= (c.created_at, c.version)) AS version
    FROM unnest($ids) WITH ORDINALITY AS asked (id, at) JOIN agents a ON a.id = asked.id
    WHERE $owner IS NULL OR a.user_id = $owner ORDER BY asked.at`,
});

const versionColumns = { version: t.text, number: t.integer, created_at: t.timestamptz };

/** A version and its number: the order in which an agent's versions were published, from 1. */
type NumberedVersion = Row<typeof versionColumns>;

/** Returns versions of an agent, the newest first. `number` null: any. */
export async function listNumberedVersions(
  db: Db,
  search: { agent_id: string; number: number | null; limit: number; offset: number },
): Promise<NumberedVersion[]> {
  return numbered.rows(db.sql, search);
}

const numbered = statement({
  name: "list-numbered-versions",
  takes: { agent_id: t.text, number: orNull(t.integer), limit: t.integer, offset: t.integer },
  gives: versionColumns,
  text: sql`
    SELECT version, number, created_at FROM (
      SELECT version, created_at, (row_number() OVER (ORDER BY created_at, version))::int AS number
      FROM agent_versions WHERE agent_id = $agent_id
    ) AS versions
    WHERE $number IS NULL OR number = $number ORDER BY number DESC LIMIT $limit OFFSET $offset`,
});
