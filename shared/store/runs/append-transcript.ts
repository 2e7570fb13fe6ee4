import type { StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { chunkValues } from "./chunk-values.ts";
import { hasStatus } from "./has-status.ts";

/**
 * Writes events of a running attempt to its transcript, so that they outlive Redis while the run goes on.
 * `events` are gapless and follow what the transcript holds; a repeat of the last call changes nothing.
 * `currentStatus` goes along: what the run is at, null when it never said. False: the attempt is stale, nothing was written.
 */
export async function appendTranscript(
  db: Db,
  runId: string,
  events: StreamEvent[],
  currentStatus: string | null,
): Promise<boolean> {
  const result = await db.sql.query({ ...held, values: [...valuesOf(runId, events), currentStatus] });
  return result.rowCount === 1;
}

/** Adds what a fenced attempt had still streamed. It is over, so nothing can race; a repeat changes nothing. */
export async function salvageTranscript(db: Db, runId: string, events: StreamEvent[]): Promise<void> {
  await db.sql.query({ ...fenced, values: valuesOf(runId, events) });
}

function valuesOf(runId: string, events: StreamEvent[]): unknown[] {
  if (!events[0]) throw new Error("There are no events to append.");
  return [runId, events[0].attempt, ...chunkValues(events)];
}

const held = {
  name: "append-transcript",
  text: `
    WITH held AS (
      UPDATE runs SET last_seq = $4, current_status = coalesce($6, current_status)
      WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")} AND last_seq IN ($3 - 1, $4) RETURNING id
    ), written AS (
      INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) SELECT id, $2, $3, $4, $5 FROM held
      ON CONFLICT DO NOTHING
    )
    SELECT id FROM held`,
};

const fenced = {
  name: "salvage-transcript",
  text: `
    INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING`,
};
