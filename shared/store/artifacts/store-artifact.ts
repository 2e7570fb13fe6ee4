import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIsStill } from "../runs/run-is.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";

export type NewArtifact = { id: string; place: number; name: string; mime: string; content: Buffer; sha256: Buffer };

/** Stores a file of a running attempt; `place` counts the attempt's files from 1. Returns false when the attempt is stale. */
export async function storeArtifact(db: Db, run: HeldRun, { place, id, ...file }: NewArtifact): Promise<boolean> {
  const values = { run_id: run.id, attempt: run.attempt, id, seq: place, ...file, size: String(file.content.length) };
  return (await store.count(db.sql, values)) === 1;
}

const store = statement({
  name: "store-artifact",
  takes: {
    run_id: t.text,
    attempt: t.integer,
    id: t.text,
    seq: t.integer,
    name: t.text,
    mime: t.text,
    size: t.bigint,
    sha256: t.bytea,
    content: t.bytea,
  },
  text: sql`
    INSERT INTO artifacts (id, run_id, attempt, seq, name, mime, size, sha256, content)
    SELECT $id, id, attempt, $seq, $name, $mime, $size, $sha256, $content FROM runs
    WHERE id = $run_id AND attempt = $attempt AND ${runIsStill.running()}`,
});
