import { wantedLabels } from "../../schemas/labels.ts";
import type { ThreadRecord } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { hasLabels } from "../has-labels.ts";
import { searchPattern } from "../search-pattern.ts";
import { readThreads, threadStatus } from "./thread-record.ts";

export type ThreadFilter = {
  agent_id?: string | undefined;
  user_id?: string | undefined;
  status?: ThreadRecord["status"] | undefined;
  tag?: string | undefined;
  metadata?: Record<string, string> | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
};

export function listThreads(
  db: Db,
  owner: Owner,
  filter: ThreadFilter,
  page: PageRequest,
): Promise<Page<ThreadRecord>> {
  const listing = {
    table: "threads",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["agent_id = ?", filter.agent_id],
      ["user_id = ?", filter.user_id],
      hasLabels(wantedLabels(filter)),
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [
      ["(id ILIKE ? OR title ILIKE ?)", searchPattern(filter.search)],
      [`${threadStatus("threads").pieces.join("")} = ?`, filter.status],
    ],
    bytes: [bytesOf("metadata")],
    load: (ids: string[]) => readThreads(db, ids, owner),
  } as const;
  return readPage(db, listing, page);
}
