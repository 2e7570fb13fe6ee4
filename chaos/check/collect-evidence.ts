import type pg from "pg";
import type { SeenEvent } from "../drive/history.ts";
import type { Evidence, OutboxRow, RunRow, TransitionRow } from "./evidence.ts";
import { groupBy } from "./group-by.ts";

type Stored = Pick<Evidence, "runs" | "transitions" | "transcripts" | "outbox">;
type ChunkRow = { run_id: string; attempt: number; events: [number, string, string][] };

/** Reads all runs from the database. To be called when nothing changes any more. */
export async function collectStored(sql: pg.Pool): Promise<Stored> {
  const runs = await sql.query<RunRow>(
    `SELECT id, status::text, attempt, lost_attempts, max_attempts, result_content, error->>'code' AS error_code
     FROM runs`,
  );
  const transitions = await sql.query<TransitionRow>(
    `SELECT run_id, "from"::text, "to"::text, reason, extract(epoch FROM at)::float8 * 1000 AS at_ms
     FROM run_transitions ORDER BY run_id, seq`,
  );
  const chunks = await sql.query<ChunkRow>(
    "SELECT run_id, attempt, events FROM transcript_chunks ORDER BY run_id, attempt, first_seq",
  );
  const outbox = await sql.query<OutboxRow>("SELECT id, run_id, status::text FROM outbox");
  const events = chunks.rows.flatMap(({ run_id, attempt, events: chunk }) =>
    chunk.map(([seq, type, data]) => ({ run_id, event: { id: `${attempt}-${seq}`, type, data } })),
  );
  return {
    runs: new Map(runs.rows.map((row) => [row.id, row])),
    transitions: groupBy(transitions.rows, (row) => row.run_id),
    transcripts: new Map<string, SeenEvent[]>(
      [...groupBy(events, (entry) => entry.run_id)].map(([id, entries]) => [id, entries.map(({ event }) => event)]),
    ),
    outbox: groupBy(outbox.rows, (row) => row.run_id),
  };
}
