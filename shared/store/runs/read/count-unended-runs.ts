import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { Db } from "../../client.ts";
import { type Row, t } from "../../columns.ts";
import { joined, literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

/** How many runs have not ended, by status. A status without runs has the count 0. */
export async function countUnendedRuns(db: Db): Promise<{ status: OpenStatus; count: number }[]> {
  return byStatus.rows(db.sql);
}

type OpenStatus = (typeof openStatuses)[number];
const openStatuses = ["scheduled", "queued", "running", "interrupted", "suspended"] as const satisfies RunStatus[];

/** One count for each status: there are small indexes of each, and none of all of them. */
const byStatus = statement({
  name: "count-runs",
  gives: { status: t.word<OpenStatus>(), count: t.integer },
  text: joined(
    openStatuses.map(
      (status) => sql`SELECT ${literal(status)} AS status, count(*)::int AS count FROM runs WHERE ${runIs[status]()}`,
    ),
    " UNION ALL ",
  ),
});

const queuedCount = { user_id: t.text, agent_id: t.text, queued: t.boolean, count: t.integer };
export type QueuedCount = Row<typeof queuedCount>;

/** How many runs are queued or wait for their time, of each agent and owner. */
export async function countQueuedRuns(db: Db): Promise<QueuedCount[]> {
  return queued.rows(db.sql);
}

const queued = statement({
  name: "count-queued-runs",
  gives: queuedCount,
  text: sql`
    SELECT user_id, agent_id, true AS queued, count(*)::int AS count FROM runs WHERE ${runIs.queued()}
    GROUP BY user_id, agent_id
    UNION ALL SELECT user_id, agent_id, false, count(*)::int FROM runs WHERE ${runIs.scheduled()} GROUP BY user_id, agent_id`,
});
