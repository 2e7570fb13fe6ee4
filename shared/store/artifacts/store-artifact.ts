import type { Db } from "../client.ts";
import type { HeldRun } from "../runs/renew-leases.ts";

export type NewArtifact = { id: string; place: number; name: string; mime: string; content: Buffer; sha256: Buffer };

/** Keeps a file of a running attempt; `place` counts the attempt's files from 1. False: the attempt is stale. */
export async function storeArtifact(db: Db, run: HeldRun, artifact: NewArtifact): Promise<boolean> {
  const { id, place, name, mime, content, sha256 } = artifact;
  const result = await db.sql.query({
    name: "store-artifact",
    text: `
      INSERT INTO artifacts (id, run_id, attempt, seq, name, mime, size, sha256, content)
      SELECT $3, id, attempt, $4, $5, $6, $7, $8, $9 FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running'`,
    values: [run.id, run.attempt, id, place, name, mime, content.length, sha256, content],
  });
  return result.rowCount === 1;
}
