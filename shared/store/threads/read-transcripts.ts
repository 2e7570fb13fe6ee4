import type { StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** The newest messages, whose runs are looked at. */
const most = 200;

/**
 * Returns the events of the last attempts of the runs that a thread's newest messages are of, by run, from the attempt's first
 * event on; of a durable run, of all attempts. All
 * together have at most `bytes`. A run whose transcript was purged, or would exceed that, is left out.
 */
export async function readThreadTranscripts(
  db: Db,
  threadId: string,
  bytes: number,
): Promise<Map<string, StreamEvent[]>> {
  const rows = await read.rows(db.sql, { thread_id: threadId, bytes, most });
  const whole = new Set(rows.filter(({ is_first }) => is_first).map(({ run_id }) => run_id));
  const events = new Map<string, StreamEvent[]>();
  for (const { run_id, attempt, events: chunk } of rows) {
    if (!whole.has(run_id)) continue;
    const found = chunk.map(([seq, type, data]) => ({ attempt, seq, type, data }));
    events.set(run_id, [...(events.get(run_id) ?? []), ...found]);
  }
  return events;
}

const read = statement({
  name: "read-thread-transcripts",
  takes: { thread_id: t.text, bytes: t.double, most: t.integer },
  gives: {
    run_id: t.text,
    attempt: t.integer,
    is_first: t.boolean,
    events: t.json<[number, string, string][]>(),
  },
  text: sql`
    SELECT run_id, attempt, first_seq = 1 AND attempt = first_attempt AS is_first, events FROM (
      SELECT c.run_id, c.attempt, c.first_seq, c.events, r.created_at, r.first_attempt, sum(octet_length(c.events::text))
        OVER (ORDER BY r.created_at DESC, c.run_id DESC, c.attempt DESC, c.first_seq DESC) AS size
      FROM (
        SELECT id, created_at, CASE WHEN attempt > 1 AND EXISTS (SELECT 1 FROM run_journals j WHERE j.run_id = runs.id)
          THEN 1 ELSE attempt END AS first_attempt
        FROM runs WHERE id IN (
          SELECT run_id FROM thread_messages WHERE thread_id = $thread_id ORDER BY seq DESC LIMIT $most)
      ) r, LATERAL (SELECT * FROM transcript_chunks WHERE run_id = r.id AND attempt >= r.first_attempt) c
    ) AS newest
    WHERE size <= $bytes ORDER BY created_at, run_id, attempt, first_seq`,
});
