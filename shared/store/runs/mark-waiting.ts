import { placeEvent } from "../../domain/run/stream-event.ts";
import type { RunEventBody, StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { hasStatus } from "./has-status.ts";

export type WaitReason = Extract<RunEventBody, { type: "run.waiting" }>["queue"]["wait_reason"];

/**
 * Notes why a run that was never claimed still waits, when that is news. Gives the event that says so, for the stream;
 * null when it was known already or the run waits no more. Concurrent calls: one of them gets the event.
 */
export async function markWaiting(db: Db, runId: string, reason: WaitReason): Promise<StreamEvent | null> {
  const client = await db.sql.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ last_seq: number }>({ ...mark, values: [runId, reason] });
    const event = rows[0] ? waitingEvent(runId, rows[0].last_seq, reason) : null;
    if (event)
      await client.query({
        ...append,
        values: [runId, event.seq, JSON.stringify([[event.seq, event.type, event.data]])],
      });
    await client.query("COMMIT");
    return event;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

function waitingEvent(runId: string, seq: number, wait_reason: WaitReason): StreamEvent {
  const body: RunEventBody = { type: "run.waiting", queue: { position: null, wait_reason } };
  return placeEvent(runId, { attempt: 0, seq }, body, new Date());
}

const mark = {
  name: "mark-waiting",
  text: `
    UPDATE runs SET wait_reason = $2, last_seq = last_seq + 1
    WHERE id = $1 AND ${hasStatus("runs", "queued")} AND attempt = 0 AND wait_reason IS DISTINCT FROM $2 RETURNING last_seq`,
};
const append = {
  name: "append-waiting",
  text: `INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) VALUES ($1, 0, $2, $2, $3)`,
};
