import type { EventId } from "../../domain/run/event-id.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";

/** A run's stored events after `cursor`, in order, at most about `limit` (a chunk is never split before the cursor). */
export async function readTranscript(db: Db, runId: string, cursor: EventId, limit = 2000): Promise<StreamEvent[]> {
  const { rows } = await db.sql.query<{ attempt: number; events: [number, string, string][] }>({
    ...statement,
    values: [runId, cursor.attempt, cursor.seq],
  });
  const events: StreamEvent[] = [];
  for (const { attempt, events: chunk } of rows) {
    if (events.length >= limit) break;
    for (const [seq, type, data] of chunk)
      if (attempt > cursor.attempt || seq > cursor.seq) events.push({ attempt, seq, type, data });
  }
  return events;
}

const statement = {
  name: "read-transcript",
  text: `
    SELECT attempt, events FROM transcript_chunks
    WHERE run_id = $1 AND (attempt, last_seq) > ($2, $3) ORDER BY attempt, first_seq LIMIT 100`,
};

/** The last seq of an attempt that the transcript holds; 0 for none. */
export async function lastSavedSeq(db: Db, runId: string, attempt: number): Promise<number> {
  const { _max } = await db.prisma.transcriptChunk.aggregate({
    where: { run_id: runId, attempt },
    _max: { last_seq: true },
  });
  return _max.last_seq ?? 0;
}
