import { maxDurationMs } from "../../../domain/run/run-limits.ts";
import { transitions } from "../../../domain/run/transitions.ts";
import type { Usage } from "../../../schemas/run-event.ts";
import type { Db } from "../../client.ts";
import { usageWithCalls } from "../../calls/usage-with-calls.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

const spent = { now: t.timestamptz, usage: orNull(t.json<Usage>()), duration_ms: t.double };

/**
 * What a run's attempts have taken by `now`, which is Postgres' time. The waits between them are not counted, and neither is the time
 * after its lease, in which nobody executed the run.
 */
export type AttemptsUsage = Row<typeof spent>;

/** Returns null when there is no such run any more. */
export async function readAttemptsUsage(db: Db, runId: string): Promise<AttemptsUsage | null> {
  return read.first(db.sql, { id: runId });
}

const [running] = transitions.claim.to;

const read = statement({
  name: "read-spent",
  takes: { id: t.text },
  gives: spent,
  text: sql`
    SELECT now, coalesce(${usageWithCalls}, usage) AS usage,
      least(${literal(maxDurationMs)}, coalesce(duration_ms, 0) + CASE WHEN ${runIs.running()} THEN
        round(greatest(0, extract(epoch FROM least(now, lease_until) - begun.at) * 1000)) ELSE 0 END)::float8 AS duration_ms
    FROM runs CROSS JOIN clock_timestamp() AS now LEFT JOIN LATERAL (
      SELECT at FROM run_transitions WHERE run_id = runs.id AND "to" = ${literal(running)} ORDER BY seq DESC LIMIT 1)
      AS begun ON true
    WHERE id = $id`,
});
