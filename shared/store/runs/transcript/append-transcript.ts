import type { StreamEvent } from "../../../schemas/run-event.ts";
import type { Batch } from "../../batch.ts";
import type { Db } from "../../client.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIsStill } from "../run-is.ts";
import { chunkColumns, chunkOf, givenChunk, insertChunks, weighChunk } from "./transcript-chunk.ts";

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
  return db.inBatches(appends, { ...placeOf(runId, events), current_status: currentStatus });
}

/** Adds what a fenced attempt had still streamed. The attempt is over, so nothing can race; a repeat changes nothing. */
export async function salvageTranscript(db: Db, runId: string, events: StreamEvent[]): Promise<void> {
  await salvage.count(db.sql, placeOf(runId, events));
}

const placeOf = (id: string, events: StreamEvent[]) => ({ id, attempt: events[0]?.attempt ?? 0, ...chunkOf(events) });

const place = { id: t.text, attempt: t.integer, ...chunkColumns };
const given = { ...place, current_status: orNull(t.text) };
const input = parameterRows(given);

const appends: Batch<Row<typeof given>, boolean> = {
  most: 64,
  weigh: weighChunk,
  maxWeight: 1 << 17,
  apart: ({ id }) => id,
  async act(client, chunks) {
    const held = await append.rows(client, input.listsOf(chunks));
    const written = new Set(held.map(({ id }) => id));
    return chunks.map(({ id }) => written.has(id));
  },
};

const append = statement({
  name: "append-transcript",
  takes: input.takes,
  gives: { id: t.text },
  text: sql`
    WITH ${input.cte}, seen AS (
      SELECT runs.id FROM runs JOIN input ON runs.id = input.id AND runs.attempt = input.attempt
      WHERE ${runIsStill.running()} AND runs.last_seq IN (input.first_seq - 1, input.last_seq)
      ORDER BY runs.id FOR UPDATE OF runs
    ), held AS (
      UPDATE runs SET last_seq = input.last_seq, current_status = coalesce(input.current_status, runs.current_status)
      FROM seen JOIN input ON input.id = seen.id WHERE runs.id = seen.id
      RETURNING runs.id, runs.attempt, input.first_seq, input.last_seq, input.events
    ), written AS (
      ${insertChunks(sql`SELECT id, attempt, first_seq, last_seq, events FROM held`)} ON CONFLICT DO NOTHING
    )
    SELECT id FROM held`,
});

const salvage = statement({
  name: "salvage-transcript",
  takes: place,
  text: sql`
    ${insertChunks(sql`SELECT id, $attempt AS attempt, ${givenChunk} FROM runs WHERE id = $id FOR KEY SHARE`)}
    ON CONFLICT DO NOTHING`,
});
