/** What is deleted once it is old, row by row, and when it is. `$1` is an age in days. Its texts are ours, never a client's. */
export type Aging = { name: string; table: string; key: string; when: string };

const olderThan = (column: string) => `${column} < now() - $1 * interval '1 day'`;

/** What outlives its use by the common retention. What happened to money, and who did what, has longer ones. */
export const agingRows: readonly Aging[] = [
  { name: "callback_tries", table: "outbox_tries", key: "outbox_id, try", when: olderThan("at") },
  {
    name: "webhook_deliveries",
    table: "outbox",
    key: "id",
    when: `webhook_id IS NOT NULL AND status <> 'pending' AND ${olderThan("created_at")}`,
  },
  { name: "daemon_logs", table: "daemon_logs", key: "agent_id, epoch, first_seq", when: olderThan("created_at") },
  { name: "job_ticks", table: "job_ticks", key: "job_id, scheduled_at", when: olderThan("created_at") },
  {
    name: "notifications",
    table: "notifications",
    key: "id",
    when: `read_at IS NOT NULL AND ${olderThan("read_at")}`,
  },
  { name: "run_keys", table: "api_keys", key: "id", when: `run_id IS NOT NULL AND ${olderThan("expires_at")}` },
  { name: "internal_job_runs", table: "internal_job_runs", key: "id", when: olderThan("finished_at") },
  { name: "bulk_operations", table: "bulk_operations", key: "id", when: olderThan("finished_at") },
];

export const agingAudit: Aging = { name: "audit", table: "audit_log", key: "id", when: olderThan("created_at") };

/** Whole runs, with all that belongs to them. */
export const agingRuns: Aging = { name: "runs", table: "runs", key: "id", when: olderThan("completed_at") };

/** What is of no use at all any more: `$1` is not asked. */
export const spentRows: readonly Aging[] = [
  {
    name: "idempotency_keys",
    table: "idempotency_keys",
    key: "user_id, route, key",
    when: "$1::int IS NOT NULL AND expires_at < now()",
  },
  {
    // The statement that ends a run wipes them; this finds what a fault has left.
    name: "run_secrets",
    table: "run_secrets",
    key: "run_id",
    when: `$1::int IS NOT NULL AND EXISTS (SELECT 1 FROM runs WHERE id = run_id AND completed_at IS NOT NULL)`,
  },
];
