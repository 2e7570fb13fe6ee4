import type { StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIsStill } from "./run-is.ts";
import { chunkColumns, chunkOf, insertChunk } from "./transcript-chunk.ts";

/**
 * Writes events of a running attempt to its transcript, so that they outlive Redis while the run goes on.
 * `events` are gapless and follow what the transcript holds; a repeat of the last call changes nothing.
 * `currentStatus` is what the agent says it is doing; null when it never said. Returns false when the attempt is stale:
 * nothing was written.
 */
export async function appendTranscript(
  db: Db,
  runId: string,
  events: StreamEvent[],
  currentStatus: string | null,
): Promise<boolean> {
  const values = { ...placeOf(runId, events), current_status: currentStatus };
  return (await append.count(db.sql, values)) === 1;
}

/** Adds what a fenced attempt had still streamed. The attempt is over, so nothing can race; a repeat changes nothing. */
export async function salvageTranscript(db: Db, runId: string, events: StreamEvent[]): Promise<void> {
  await salvage.count(db.sql, placeOf(runId, events));
}

const placeOf = (id: string, events: StreamEvent[]) => ({ id, attempt: events[0]?.attempt ?? 0, ...chunkOf(events) });

const takes = { id: t.text, attempt: t.integer, ...chunkColumns };

const append = statement({
  name: "append-transcript",
  takes: { ...takes, current_status: orNull(t.text) },
  gives: { id: t.text },
  text: sql`
    WITH held AS (
      UPDATE runs SET last_seq = $last_seq, current_status = coalesce($current_status, current_status)
      WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()} AND last_seq IN ($first_seq - 1, $last_seq)
      RETURNING id, attempt
    ), written AS (
      ${insertChunk(sql`SELECT id, attempt FROM held`)} ON CONFLICT DO NOTHING
    )
    SELECT id FROM held`,
});

const salvage = statement({
  name: "salvage-transcript",
  takes,
  text: sql`${insertChunk(sql`SELECT $id AS id, $attempt AS attempt`)} ON CONFLICT DO NOTHING`,
});
