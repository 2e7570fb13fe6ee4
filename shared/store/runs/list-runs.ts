import type { RunStatus } from "../../domain/run/run-status.ts";
import { wantedLabels } from "../../schemas/labels.ts";
import { type RunListItem, type RunPayload, runPayloads } from "../../schemas/run.ts";
import { transcriptLimits } from "../../schemas/run-filter.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { hasLabels } from "../has-labels.ts";
import { saidCondition, type SearchPlace } from "./search-transcript.ts";
import { searchPattern } from "../search-pattern.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { literal, sql } from "../sql.ts";
import { type Condition, whereClause } from "../where-clause.ts";
import { questionBytes, withInterrupts } from "./open-interrupts.ts";
import { toRunListItem, unread, withCallback } from "./run-record.ts";

export type RunFilter = {
  status?: RunStatus | readonly RunStatus[] | undefined;
  agent_id?: string | undefined;
  version?: string | undefined;
  user_id?: string | undefined;
  thread_id?: string | undefined;
  job_id?: string | undefined;
  tag?: string | undefined;
  metadata?: Record<string, string> | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
  /** Where `search` is looked for: in what the run's row has, or in its transcript. */
  search_in?: SearchPlace | undefined;
};

/** A page of runs. Their payloads are read only if `include` names them. */
export function listRuns(
  db: Db,
  owner: Owner,
  { include = [], ...filter }: RunFilter & { include?: readonly RunPayload[] },
  page: PageRequest,
): Promise<Page<RunListItem>> {
  const omitted = runPayloads.filter((name) => !include.includes(name));
  const omit = { ...unread, ...Object.fromEntries(omitted.map((name) => [name, true])) };
  const load = async (ids: string[]): Promise<RunListItem[]> =>
    withInterrupts(
      db,
      (await db.prisma.run.findMany({ where: { id: { in: ids } }, include: withCallback, omit })).map(toRunListItem),
    );
  const bytes = [...["metadata", "error", ...include].map(bytesOf), questionBytes];
  return readPage(db, { ...runListing(owner, filter), bytes, load }, page);
}

const countsTo = 10_000;

/** Returns how many runs a list has on all of its pages, at most 10,000. */
export async function countListedRuns(db: Db, owner: Owner, filter: RunFilter): Promise<number> {
  const where = whereClause([["user_id = ?", owner], ...runConditions(filter)]);
  const [row] = await query(
    db.sql,
    { count: t.integer },
    sql`SELECT count(*)::int AS count FROM (SELECT FROM runs WHERE ${where} LIMIT ${literal(countsTo)}) AS listed`,
  );
  return row?.count ?? 0;
}

/** Which runs a list shows. Indexes find those of a user, agent, thread, job, tag or entry of the metadata, and the few that did not succeed. */
export function runListing(owner: Owner, filter: RunFilter) {
  const { agent_id, thread_id, job_id, tag, metadata, since, until, ...rest } = filter;
  const status = rest.status === "success" ? undefined : rest.status;
  const user_id = agent_id === undefined ? rest.user_id : undefined;
  const within: Condition[] = [["user_id = ?", owner]];
  const filters = runConditions({ agent_id, thread_id, job_id, tag, metadata, since, until, status, user_id });
  const { search, search_in = "record" } = rest;
  const unindexed = runConditions({
    version: rest.version,
    search: search_in === "record" ? search : undefined,
    status: status === undefined ? rest.status : undefined,
    user_id: user_id === undefined ? rest.user_id : undefined,
  });
  const listing = { table: "runs", key: "id", within, filters } as const;
  if (search === undefined || search_in === "record") return { ...listing, unindexed };
  return { ...listing, unindexed: [...unindexed, saidCondition(search_in, search)], looksAt: transcriptLimits.runs };
}

/** A filter as SQL on the table `runs`. `search` looks for a text, in any case, in ids, input, result and error, but not in large inputs and results. */
export function runConditions(filter: RunFilter): Condition[] {
  return [
    // With one status the planner reads an index in the order of the list.
    typeof filter.status === "object"
      ? ["status = ANY(?::run_status[])", filter.status]
      : ["status = ?::run_status", filter.status],
    ["agent_id = ?", filter.agent_id],
    ["version = ?", filter.version],
    ["user_id = ?", filter.user_id],
    ["thread_id = ?", filter.thread_id],
    ["job_id = ?", filter.job_id],
    hasLabels(wantedLabels(filter)),
    ["created_at >= ?", filter.since],
    ["created_at < ?", filter.until],
    [
      `(id ILIKE ? OR agent_id ILIKE ? OR thread_id ILIKE ? OR ${isSmall("input_payload")} AND input_payload::text ILIKE ?
        OR ${isSmall("result_content")} AND result_content::text ILIKE ? OR error::text ILIKE ?)`,
      searchPattern(filter.search),
    ],
  ];
}

/** As it is stored, which Postgres knows without reading the value. A page that searched large values would take minutes. */
const isSmall = (column: string): string => `pg_column_size(${column}) <= 65536`;
