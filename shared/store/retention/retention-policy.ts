import { jobIsOver } from "../jobs/job-is-over.ts";
import { hasOpenParent } from "../runs/delete-run.ts";
import { sessionIdle } from "../sessions/live-session.ts";
import { runIs } from "../runs/run-is.ts";
import { joined, perRow, raw, type Sql, sql } from "../sql.ts";

/** What is deleted once it is old, row by row. */
export type RetentionPolicy = {
  name: string;
  table: string;
  key: string;
  /** Whether a row is old, by `$days`. */
  isOld: Sql;
};

const olderThan = (column: string): Sql => sql`${raw(column)} < now() - $days * interval '1 day'`;

/** SQL: when the oldest run was made that has not ended. There is an index of each state, and none of all of them. */
const oldestOpenRun: Sql = sql`least('infinity'::timestamptz, ${joined(
  ([runIs.scheduled, runIs.queued, runIs.running, runIs.interrupted, runIs.suspended] as const).map(
    (isOpen) => sql`(SELECT min(created_at) FROM runs WHERE ${isOpen()})`,
  ),
  ", ",
)})`;

/** What outlives its use by the common retention. What happened to money, and who did what, has longer ones. */
export const agingRows: readonly RetentionPolicy[] = [
  { name: "callback_tries", table: "outbox_tries", key: "outbox_id, try", isOld: olderThan("at") },
  {
    name: "webhook_deliveries",
    table: "outbox",
    key: "id",
    isOld: sql`webhook_id IS NOT NULL AND status <> 'pending' AND ${olderThan("created_at")}`,
  },
  { name: "hook_deliveries", table: "hook_deliveries", key: "id", isOld: olderThan("created_at") },
  { name: "daemon_logs", table: "daemon_logs", key: "agent_id, epoch, first_seq", isOld: olderThan("created_at") },
  { name: "job_ticks", table: "job_ticks", key: "job_id, scheduled_at, manual", isOld: olderThan("created_at") },
  {
    name: "notifications",
    table: "notifications",
    key: "id",
    isOld: sql`read_at IS NOT NULL AND ${olderThan("read_at")}`,
  },
  {
    name: "unread_notifications",
    table: "notifications",
    key: "id",
    isOld: sql`created_at < now() - 3 * $days * interval '1 day'`,
  },
  { name: "run_keys", table: "api_keys", key: "id", isOld: sql`run_id IS NOT NULL AND ${olderThan("expires_at")}` },
  {
    // A run's code may start others by a name's meaning at the run's own time.
    name: "agent_moves",
    table: "agent_moves",
    key: "agent_id, name, number",
    isOld: sql`${olderThan("at")} AND at < ${oldestOpenRun}`,
  },
  { name: "internal_job_runs", table: "internal_job_runs", key: "id", isOld: olderThan("finished_at") },
  { name: "bulk_operations", table: "bulk_operations", key: "id", isOld: olderThan("finished_at") },
];

export const agingAudit: RetentionPolicy = {
  name: "audit",
  table: "audit_log",
  key: "id",
  isOld: olderThan("created_at"),
};

/** Whole runs, with all that belongs to them. */
export const agingRuns: RetentionPolicy = {
  name: "runs",
  table: "runs",
  key: "id",
  isOld: sql`${olderThan("completed_at")} AND NOT ${hasOpenParent}`,
};

/** Jobs that are over, after their last run and what became of their ticks. */
export const agingJobs: RetentionPolicy = {
  name: "jobs",
  table: "jobs",
  key: "id",
  isOld: sql`${jobIsOver} AND ${olderThan("updated_at")}
    AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.job_id = jobs.id ${perRow})
    AND NOT EXISTS (SELECT 1 FROM job_ticks WHERE job_ticks.job_id = jobs.id ${perRow})`,
};

/** What is of no use at all any more: `$days` is not asked. */
export const spentRows: readonly RetentionPolicy[] = [
  {
    name: "idempotency_keys",
    table: "idempotency_keys",
    key: "user_id, route, key",
    isOld: sql`$days IS NOT NULL AND expires_at < now()`,
  },
  {
    name: "sessions",
    table: "sessions",
    key: "id",
    isOld: sql`$days IS NOT NULL AND (expires_at < now() OR last_used_at < now() - ${sessionIdle})`,
  },
  { name: "session_codes", table: "session_codes", key: "id", isOld: sql`$days IS NOT NULL AND expires_at < now()` },
  {
    name: "store_items",
    table: "store_items",
    key: "user_id, namespace, key",
    isOld: sql`$days IS NOT NULL AND expires_at < now()`,
  },
  {
    name: "call_budgets",
    table: "call_budgets",
    key: "kind, subject",
    isOld: sql`$days IS NOT NULL AND touched_at < now() - interval '2 days' AND CASE kind
      WHEN 'thread' THEN NOT EXISTS (SELECT 1 FROM threads WHERE id = subject)
      WHEN 'tree' THEN NOT EXISTS (
        SELECT 1 FROM runs WHERE id = subject AND (completed_at IS NULL OR completed_at > now() - interval '30 days'))
      ELSE true END`,
  },
  {
    name: "call_reservations",
    table: "call_reservations",
    key: "run_id, attempt, call, kind, subject",
    isOld: sql`$days IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM call_budgets AS budget
      WHERE budget.kind = call_reservations.kind AND budget.subject = call_reservations.subject)`,
  },
  {
    // The statement that ends a run wipes them; this finds what a fault has left.
    name: "run_secrets",
    table: "run_secrets",
    key: "run_id",
    isOld: sql`$days IS NOT NULL AND EXISTS (SELECT 1 FROM runs WHERE id = run_id AND completed_at IS NOT NULL)`,
  },
];
