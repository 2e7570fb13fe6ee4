import type { JobRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
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

export function listJobs(db: Db, owner: Owner, filter: JobFilter, page: PageRequest): Promise<Page<JobRecord>> {
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
    load: (ids: string[]) => readJobs(db, ids, owner),
  } as const;
  return readPage(db, listing, page);
}
