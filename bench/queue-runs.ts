import pg from "pg";
import type { BenchStack } from "./with-stack.ts";

/** Makes `count` queued runs: copies of a run that waits behind another one, which keeps the only worker busy. */
export async function queueRuns({ url, databaseUrl, client }: BenchStack, count: number): Promise<string[]> {
  await client.publish("sleeper", { source: "import time\ndef main(input):\n    time.sleep(1800)\n" });
  const start = async (): Promise<string> => {
    const body = JSON.stringify({ agent_id: "sleeper", version: "current" });
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const answer = await fetch(`${url}/v1/execute`, { method: "POST", headers, body });
    return ((await answer.json()) as { id: string }).id;
  };
  await start();
  const original = await start();
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  const { rows } = await sql.query<{ id: string }>({ text: copy, values: [original, count] });
  await sql.end();
  return rows.map(({ id }) => id);
}

const copy = `
  WITH copies AS (
    INSERT INTO runs SELECT r.* FROM runs original, generate_series(1, $2::int) AS i,
      jsonb_populate_record(original, jsonb_build_object('id', 'copy-' || i)) AS r WHERE original.id = $1 RETURNING id
  ), transcripts AS (
    INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events)
    SELECT copies.id, chunk.attempt, chunk.first_seq, chunk.last_seq, chunk.events
    FROM copies, transcript_chunks chunk WHERE chunk.run_id = $1
  )
  SELECT id FROM copies`;
