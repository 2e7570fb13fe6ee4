import type { RunStatus } from "../../domain/run/run-status.ts";
import { transcriptLimits } from "../../schemas/run-filter.ts";
import type { RunRecord } from "../../schemas/run.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { saidCondition, type SearchPlace } from "./search-transcript.ts";
import { searchPattern } from "../search-pattern.ts";
import type { Condition } from "../where-clause.ts";
import { toRunRecord, withCallback } from "./run-record.ts";

export type RunFilter = {
  status?: RunStatus | undefined;
  agent_id?: string | undefined;
  version?: string | undefined;
  user_id?: string | undefined;
  thread_id?: string | undefined;
  job_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
  /** Where `search` is looked for: in what the run's row has, or in its transcript. */
  search_in?: SearchPlace | undefined;
};

export function listRuns(db: Db, owner: Owner, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
  const load = async (ids: string[]): Promise<RunRecord[]> =>
    (await db.prisma.run.findMany({ where: { id: { in: ids } }, include: withCallback })).map(toRunRecord);
  return readPage(db, { ...runListing(owner, filter), load }, page);
}

/** Which runs a list shows. Indexes find those of a user, agent, thread or job, and the few that did not succeed. */
export function runListing(owner: Owner, filter: RunFilter) {
  const { agent_id, thread_id, job_id, since, until, ...rest } = filter;
  const status = rest.status === "success" ? undefined : rest.status;
  const user_id = agent_id === undefined ? rest.user_id : undefined;
  const within: Condition[] = [["user_id = ?", owner]];
  const filters = runConditions({ agent_id, thread_id, job_id, since, until, status, user_id });
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

/** A filter as SQL on the table `runs`. `search` looks for a text, in any case, in ids, input, result and error. */
export function runConditions(filter: RunFilter): Condition[] {
  return [
    ["status = ?::run_status", filter.status],
    ["agent_id = ?", filter.agent_id],
    ["version = ?", filter.version],
    ["user_id = ?", filter.user_id],
    ["thread_id = ?", filter.thread_id],
    ["job_id = ?", filter.job_id],
    ["created_at >= ?", filter.since],
    ["created_at < ?", filter.until],
    [
      `(id ILIKE ? OR agent_id ILIKE ? OR thread_id ILIKE ? OR input_payload::text ILIKE ?
        OR result_content::text ILIKE ? OR error::text ILIKE ?)`,
      searchPattern(filter.search),
    ],
  ];
}
