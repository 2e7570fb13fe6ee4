import { pageBytes } from "../../../domain/json/cut-page.ts";
import type { EventId } from "../../../domain/run/event-id.ts";
import type { StreamEvent } from "../../../schemas/run-event.ts";
import type { Db } from "../../client.ts";
import { t } from "../../columns.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/**
 * A run's stored events after `cursor`, in order, at most about `limit` and `pageBytes`: chunks are read whole. Fewer chunks are
 * read than may be there; read on after the last event.
 */
export async function readTranscript(db: Db, runId: string, cursor: EventId, limit = 2000): Promise<StreamEvent[]> {
  const rows = await read.rows(db.sql, { run_id: runId, ...cursor });
  const events: StreamEvent[] = [];
  for (const { attempt, events: chunk } of rows) {
    if (events.length >= limit) break;
    for (const [seq, type, data] of chunk)
      if (attempt > cursor.attempt || seq > cursor.seq) events.push({ attempt, seq, type, data });
  }
  return events;
}

// Chunk by chunk, since a chunk's size is known once it is unpacked: what comes behind the page stays packed.
const read = statement({
  name: "read-transcript",
  takes: { run_id: t.text, attempt: t.integer, seq: t.integer },
  gives: { attempt: t.integer, events: t.json<[number, string, string][]>() },
  text: sql`
    WITH RECURSIVE page AS (
      (SELECT attempt, first_seq, events, octet_length(events::text) AS size, 1 AS nth FROM transcript_chunks
       WHERE run_id = $run_id AND (attempt, last_seq) > ($attempt, $seq) ORDER BY attempt, first_seq LIMIT 1)
      UNION ALL
      SELECT next.attempt, next.first_seq, next.events, page.size + octet_length(next.events::text), page.nth + 1
      FROM page CROSS JOIN LATERAL (
        SELECT attempt, first_seq, events FROM transcript_chunks
        WHERE run_id = $run_id AND (attempt, first_seq) > (page.attempt, page.first_seq)
        ORDER BY attempt, first_seq LIMIT 1
      ) AS next
      WHERE page.size < ${literal(pageBytes)} AND page.nth < 100
    )
    SELECT attempt, events FROM page ORDER BY nth`,
});

/** The last seq of each attempt that the transcript holds. */
export async function lastSavedSeqs(db: Db, runId: string): Promise<Map<number, number>> {
  const last = await db.prisma.transcriptChunk.groupBy({
    by: ["attempt"],
    where: { run_id: runId },
    _max: { last_seq: true },
  });
  return new Map(last.map(({ attempt, _max }) => [attempt, _max.last_seq ?? 0]));
}
