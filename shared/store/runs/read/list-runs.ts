import type { RunStatus } from "../../../domain/run/run-status.ts";
import { wantedLabels } from "../../../schemas/labels.ts";
import { type RunListItem, type RunPayload, runPayloads } from "../../../schemas/run.ts";
import { type RunOrder, transcriptLimits } from "../../../schemas/run-filter.ts";
import type { Db } from "../../client.ts";
import type { Owner } from "../../owned-by.ts";
import { bytesOf, type Listing, mostLookedAt, type Page, type PageRequest, readPage } from "../../read-page.ts";
import { hasLabels } from "../../has-labels.ts";
import { saidCondition, type SearchPlace } from "../transcript/search-transcript.ts";
import { searchPattern } from "../../search-pattern.ts";
import { orNull, t } from "../../columns.ts";
import { query } from "../../query.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";
import { type Condition, whereClause } from "../../where-clause.ts";
import { questionBytes, withInterrupts } from "../questions/unanswered-interrupts.ts";
import { toRunListItem, unread, withCallback } from "./run-record.ts";

type OneOrMany<T> = T | readonly T[] | undefined;

export type RunFilter = {
  status?: OneOrMany<RunStatus>;
  agent_id?: OneOrMany<string>;
  version?: OneOrMany<string>;
  user_id?: string | undefined;
  thread_id?: string | undefined;
  job_id?: string | undefined;
  replay_of?: string | undefined;
  bulk_id?: string | undefined;
  parent_run_id?: string | undefined;
  root_run_id?: string | undefined;
  worker_id?: string | undefined;
  origin?: RunListItem["origin"] | undefined;
  lifecycle?: string | undefined;
  error_code?: string | undefined;
  min_duration_ms?: number | undefined;
  /** Only these runs. */
  run_ids?: readonly string[] | undefined;
  tag?: string | undefined;
  metadata?: Record<string, string> | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
  /** Where `search` is looked for: in what the run's row has, or in its transcript. */
  search_in?: SearchPlace | undefined;
};

type RunQuery = RunFilter & { include?: readonly RunPayload[]; order_by?: RunOrder };

/** A page of runs. Their payloads are read only if `include` names them. */
export async function listRuns(
  db: Db,
  owner: Owner,
  { include = [], order_by = "created_at", ...filter }: RunQuery,
  page: PageRequest,
): Promise<Page<RunListItem>> {
  const omitted = runPayloads.filter((name) => !include.includes(name));
  const omit = { ...unread, ...Object.fromEntries(omitted.map((name) => [name, true])) };
  const load = async (ids: string[]): Promise<RunListItem[]> =>
    withPreviews(
      db,
      await withInterrupts(
        db,
        (await db.prisma.run.findMany({ where: { id: { in: ids } }, include: withCallback, omit })).map(toRunListItem),
      ),
    );
  const bytes = [...["metadata", "error", ...include].map(bytesOf), questionBytes];
  const listing = { ...runListing(owner, filter), bytes, load };
  return readPage(db, order_by === "created_at" ? listing : await inOrderOf(db, sortKeys[order_by], listing), page);
}

/** SQL of what runs are put in order by. Each has an index of one user's runs, and one of all. */
const sortKeys = {
  duration_ms: "duration_ms",
  cost_usd: "((usage ->> 'cost_usd')::double precision)",
} satisfies Record<Exclude<RunOrder, "created_at">, string>;

/** Returns the list of those runs that have the value, in its order. */
async function inOrderOf<Item>(
  db: Db,
  value: string,
  listing: Listing<Item> & Required<Pick<Listing<Item>, "filters" | "unindexed">>,
): Promise<Listing<Item>> {
  const { within, filters, unindexed } = listing;
  const found = whereClause([...within, ...filters]);
  const more = await query(db.sql, {}, sql`SELECT FROM runs WHERE ${found} OFFSET ${literal(mostLookedAt)} LIMIT 1`);
  const having: Condition[] = [...within, [`${value} IS NOT NULL`, true]];
  // Few are found by the filters' indexes and sorted: `+ 0` keeps the planner from reading all runs in the order of the value.
  if (more.length === 0) return { ...listing, within: having, by: `(${value} + 0)` };
  return { ...listing, within: having, by: value, filters: [], unindexed: [...filters, ...unindexed] };
}

const previewColumns = { id: t.text, input_preview: orNull(t.text), result_preview: orNull(t.text) };

/** Adds the beginnings of what the runs were given and gave. A value that is large as it is stored is not read. */
async function withPreviews<Run extends { id: string }>(db: Db, runs: Run[]): Promise<(Run & Previews)[]> {
  const ids = runs.map(({ id }) => id);
  const rows = await query(
    db.sql,
    previewColumns,
    sql`SELECT id, ${beginningOf("input_payload")} AS input_preview, ${beginningOf("result_content")} AS result_preview
     FROM runs WHERE id = ANY(${ids})`,
  );
  const previews = new Map(rows.map(({ id, ...preview }) => [id, preview]));
  return runs.map((run) => ({ ...run, ...(previews.get(run.id) ?? { input_preview: null, result_preview: null }) }));
}

type Previews = Pick<RunListItem, "input_preview" | "result_preview">;

const beginningOf = (column: string): Sql =>
  raw(`CASE WHEN ${isSmall(column)} THEN nullif(left(${column}::text, 200), 'null') END`);

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
  const { agent_id, thread_id, job_id, replay_of, bulk_id, parent_run_id, root_run_id, ...others } = filter;
  const { tag, metadata, since, until, ...rest } = others;
  const status = rest.status === "success" ? undefined : rest.status;
  const user_id = agent_id === undefined ? rest.user_id : undefined;
  const within: Condition[] = [["user_id = ?", owner]];
  const filters = runConditions({
    ...{ agent_id, thread_id, job_id, replay_of, bulk_id, parent_run_id, root_run_id, tag, metadata, since, until },
    ...{ status, user_id },
  });
  const { version, worker_id, origin, lifecycle, error_code, min_duration_ms, search, search_in = "record" } = rest;
  const unindexed = runConditions({
    ...{ version, worker_id, origin, lifecycle, error_code, min_duration_ms },
    search: search_in === "record" ? search : undefined,
    status: status === undefined ? rest.status : undefined,
    user_id: user_id === undefined ? rest.user_id : undefined,
  });
  const listing = { table: "runs", key: "id", within, filters } as const;
  if (search === undefined || search_in === "record") return { ...listing, unindexed };
  return { ...listing, unindexed: [...unindexed, saidCondition(search_in, search)], looksAt: transcriptLimits.runs };
}

/** A filter as SQL on the table `runs`. `search` looks for a text, in any case, in ids, input, result and error, but not in large inputs and results. */
function runConditions(filter: RunFilter): Condition[] {
  return [
    isOneOf("status", filter.status, "::run_status"),
    isOneOf("agent_id", filter.agent_id),
    isOneOf("version", filter.version),
    ["id = ANY(?)", filter.run_ids],
    ["user_id = ?", filter.user_id],
    ["thread_id = ?", filter.thread_id],
    ["job_id = ?", filter.job_id],
    ["replay_of = ?", filter.replay_of],
    ["parent_run_id = ?", filter.parent_run_id],
    ["root_run_id = ?", filter.root_run_id],
    ["worker_id = ?", filter.worker_id],
    ["origin = ?::run_origin", filter.origin],
    ["lifecycle = ?", filter.lifecycle],
    // Not read as JSON: what Postgres can't hold as a text, such as NUL, would be an error. Within texts the quotes are escaped.
    ["strpos(error::text, ?) > 0", filter.error_code && `"code":${JSON.stringify(filter.error_code)}`],
    ["duration_ms >= ?", filter.min_duration_ms],
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

/** With one value the planner reads an index in the order of the list. */
const isOneOf = (column: string, value: OneOrMany<string>, type = ""): Condition =>
  typeof value === "object"
    ? [`${column} = ANY(?${type === "" ? "" : `${type}[]`})`, value]
    : [`${column} = ?${type}`, value];

/** As it is stored, which Postgres knows without reading the value. A page that searched large values would take minutes. */
const isSmall = (column: string): string => `pg_column_size(${column}) <= 65536`;
