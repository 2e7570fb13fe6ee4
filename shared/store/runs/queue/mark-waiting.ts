import { placeEvent } from "../../../domain/run/stream-event.ts";
import type { RunEventBody, StreamEvent } from "../../../schemas/run-event.ts";
import type { Db, Queryable } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { inTransaction } from "../../in-transaction.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIsStill } from "../run-is.ts";
import { chunkColumns, chunkOf, givenChunk, insertChunks } from "../transcript/transcript-chunk.ts";

export type WaitReason = Extract<RunEventBody, { type: "run.waiting" }>["queue"]["wait_reason"];

/**
 * Notes why a run that was never claimed still waits, when that is new. Returns the event that says so, for the stream;
 * null when it was noted already or the run waits no more. Of concurrent calls one gets the event.
 */
export async function markWaiting(db: Db, runId: string, reason: WaitReason): Promise<StreamEvent | null> {
  return inTransaction(db, async (client) => {
    const row = await mark.first(client, { id: runId, reason });
    if (!row) return null;
    const event = waitingEvent(runId, row.last_seq, reason);
    await appendWaiting(client, runId, event);
    return event;
  });
}

/** Writes an event of a run that waits, for the transaction that raised the run's `last_seq` for it. */
export async function appendWaiting(client: Queryable, runId: string, event: StreamEvent): Promise<void> {
  await append.count(client, { id: runId, attempt: event.attempt, ...chunkOf([event]) });
}

function waitingEvent(runId: string, seq: number, wait_reason: WaitReason): StreamEvent {
  const body: RunEventBody = { type: "run.waiting", queue: { position: null, wait_reason } };
  return placeEvent(runId, { attempt: 0, seq }, body, new Date());
}

const mark = statement({
  name: "mark-waiting",
  takes: { id: t.text, reason: orNull(t.text) },
  gives: { last_seq: t.integer },
  text: sql`
    UPDATE runs SET wait_reason = $reason, last_seq = last_seq + 1
    WHERE id = $id AND ${runIsStill.queued()} AND attempt = 0 AND wait_reason IS DISTINCT FROM $reason RETURNING last_seq`,
});

const append = statement({
  name: "append-waiting",
  takes: { id: t.text, attempt: t.integer, ...chunkColumns },
  text: insertChunks(sql`SELECT $id AS id, $attempt AS attempt, ${givenChunk}`),
});
