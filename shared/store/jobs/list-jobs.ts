import type { JobListItem, JobRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { searchPattern } from "../search-pattern.ts";
import { readJobs } from "./job-record.ts";

export type JobFilter = {
  status?: JobRecord["status"] | undefined;
  agent_id?: string | undefined;
  user_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
};

/** A page of jobs. `with_input`: their inputs are read, too. */
export function listJobs(
  db: Db,
  owner: Owner,
  filter: JobFilter & { with_input?: boolean },
  page: PageRequest,
): Promise<Page<JobListItem>> {
  const listing = {
    table: "jobs",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["status = ?::job_status", filter.status],
      ["agent_id = ?", filter.agent_id],
      ["user_id = ?", filter.user_id],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
      ["(id ILIKE ? OR name ILIKE ?)", searchPattern(filter.search)],
    ],
    bytes: ["metadata", "run_options", ...(filter.with_input ? ["input_payload"] : [])].map(bytesOf),
    load: (ids: string[]): Promise<JobListItem[]> => readJobs(db, ids, owner, filter.with_input === true),
  } as const;
  return readPage(db, listing, page);
}
