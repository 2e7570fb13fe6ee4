import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { type Owner, ownedBy } from "../../owned-by.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import type { SeenRun } from "./finalize-run.ts";
import { moveRuns } from "./move-runs.ts";
import { runIsStill } from "../run-is.ts";

/** As much of a run as a caller needs to act on it. */
export type RunHandle = SeenRun & { user_id: string; status: RunStatus };

/** Returns null when the owner has no such run. */
export async function readRunHandle(db: Db, id: string, owner: Owner): Promise<RunHandle | null> {
  const select = { id: true, user_id: true, attempt: true, worker_id: true, status: true };
  return db.prisma.run.findUnique({ where: { id, ...ownedBy(owner) }, select });
}

/**
 * Asks the worker of a running run to cancel it. A repeat ends one that is cleaning up after an earlier cancel, where somebody wants it.
 * `by`: who wants it; null: the service itself. Returns false when the run moved on since it was seen.
 */
export async function requestCancel(db: Db, { id, attempt }: RunHandle, by: string | null): Promise<boolean> {
  return (await request.count(db.sql, { id, attempt, by })) === 1;
}

/**
 * Asks for the end of suspended runs, and queues them: their code is to clean up. Returns which; the others moved on since they were
 * seen.
 */
export async function wakeToCancel(
  db: Db,
  runs: readonly Pick<RunHandle, "id" | "attempt">[],
  by: string | null,
  queue_ttl_ms: number,
): Promise<string[]> {
  const [ids, attempts] = [runs.map(({ id }) => id), runs.map(({ attempt }) => attempt)];
  return (await wake.rows(db.sql, { ids, attempts, by, queue_ttl_ms })).map(({ id }) => id);
}

const wake = statement({
  name: "wake-runs-to-cancel",
  takes: { ids: listOf(t.text), attempts: listOf(t.integer), by: orNull(t.text), queue_ttl_ms: t.double },
  gives: { id: t.text },
  text: sql`
    WITH given AS (
      SELECT * FROM unnest($ids, $attempts) AS given (id, attempt)
    ), ${moveRuns("wake_to_cancel", {
      source: "given",
      set: sql`cancel_requested_at = coalesce(cancel_requested_at, now()),
        cancel_requested_by = CASE WHEN cancel_requested_at IS NULL THEN $by ELSE cancel_requested_by END,
        scheduled_at = NULL, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      by: sql`$by`,
    })}
    SELECT id FROM moved`,
});

const request = statement({
  name: "request-cancel",
  takes: { id: t.text, attempt: t.integer, by: orNull(t.text) },
  text: sql`
    UPDATE runs SET cancel_requested_at = CASE WHEN cancel_requested_at IS NULL OR $by IS NOT NULL THEN now() ELSE cancel_requested_at END,
      cancel_requested_by = CASE WHEN cancel_requested_at IS NULL THEN $by ELSE cancel_requested_by END
    WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()}`,
});
