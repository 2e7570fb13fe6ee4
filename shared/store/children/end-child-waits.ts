import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import { endWaits } from "../journal/end-waits.ts";
import { forgetWaits } from "../journal/read-waits.ts";
import { moveRuns } from "../runs/moves/move-runs.ts";
import { runIsStill } from "../runs/run-is.ts";
import { delayWake } from "../runs/moves/suspend-run.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** `worker_id`: of the worker that holds the parent. `woken`: the parent was suspended and is queued now. */
export type ToldParent = { worker_id: string | null; woken: boolean };

/**
 * Ends what a run waits for of the runs that it has started and that have ended, and queues it if it was suspended and can go on
 * now. Returns null when there is no such run any more. May be repeated.
 */
export async function endChildWaits(db: Db, parent_run_id: string, queue_ttl_ms: number): Promise<ToldParent | null> {
  const id = parent_run_id;
  const told = await inTransaction(db, async (client) => {
    const parent = await lock.first(client, { id });
    if (!parent) return null;
    // Its worker may have died before it had forgotten them.
    if (parent.has_ended) await forgetWaits({ sql: client }, id);
    const ended = parent.has_ended ? null : await end.first(client, { id });
    const woken = ended?.goes_on === true && parent.is_suspended;
    if (woken) await wake.count(client, { id, queue_ttl_ms });
    else if (ended && parent.is_suspended) await delayWake(client, id);
    return { worker_id: ended ? parent.worker_id : null, woken };
  });
  await mark.count(db.sql, { id });
  return told;
}

/** What follows sees all that others have committed of the run, and nobody else changes it meanwhile. */
const lock = statement({
  name: "lock-parent",
  takes: { id: t.text },
  gives: { has_ended: t.boolean, is_suspended: t.boolean, worker_id: orNull(t.text) },
  text: sql`
    SELECT ${runIsStill.ended()} AS has_ended, ${runIsStill.suspended()} AS is_suspended, worker_id
    FROM runs WHERE id = $id FOR NO KEY UPDATE`,
});

const end = statement({
  name: "end-waits-for-runs",
  takes: { id: t.text },
  gives: { goes_on: t.boolean },
  text: sql`
    WITH ending AS (
      SELECT wait.run_id, wait.key, CASE WHEN ${runIsStill.succeeded("child")} THEN 'child' ELSE 'child_failed' END AS kind,
        NULL::text AS input_id, row_number() OVER (ORDER BY child.completed_at, wait.number) AS nth
      FROM run_waits AS wait JOIN runs AS child ON child.id = wait.child_id AND child.completed_at IS NOT NULL
      WHERE wait.run_id = $id AND wait.kind = 'child'
    ), ${endWaits("service")}
    SELECT EXISTS (SELECT 1 FROM goes_on) AS goes_on FROM counted`,
});

const wake = statement({
  name: "wake-parent",
  takes: { id: t.text, queue_ttl_ms: t.double },
  gives: { id: t.text },
  text: sql`
    WITH ${moveRuns("wake", {
      set: sql`scheduled_at = NULL, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      reason: sql`'child'`,
    })}
    SELECT id FROM moved`,
});

/** After the waits' ends are committed. A child that nobody waits for any more tells nobody. */
const mark = statement({
  name: "mark-runs-told",
  takes: { id: t.text },
  text: sql`
    UPDATE runs SET tells_parent = false FROM (
      SELECT id FROM runs WHERE parent_run_id = $id AND tells_parent AND completed_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM run_waits WHERE run_id = $id AND child_id = runs.id)
      ORDER BY id FOR UPDATE
    ) AS told WHERE runs.id = told.id`,
});
