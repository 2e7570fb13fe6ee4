import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { runIsStill } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A checkpoint of a graph or writes that belong to one, sealed. `namespace`: its hash. */
export type NewCheckpoint = { id: string; namespace: string; checkpoint_id: string; sealed_content: Buffer };

export type KeptCheckpoint = { id: string; sealed_content: Buffer };

/**
 * Keeps what a running attempt's graph has reached. `superseded`: namespaces and the ids of checkpoints, before which nothing is
 * needed any more. `dropped`: namespaces of which nothing is. Returns false when the attempt is stale: nothing was written.
 */
export async function keepCheckpoints(
  db: Db,
  { id, attempt }: HeldRun,
  given: {
    checkpoints: readonly NewCheckpoint[];
    superseded: readonly (readonly [namespace: string, before: string])[];
    dropped: readonly string[];
  },
): Promise<boolean> {
  const row = await keep.first(db.sql, {
    run_id: id,
    attempt,
    dropped: given.dropped,
    superseded: given.superseded.map(([namespace]) => namespace),
    befores: given.superseded.map(([, before]) => before),
    ...input.listsOf(given.checkpoints),
  });
  return row !== null;
}

const input = parameterRows({ id: t.text, namespace: t.text, checkpoint_id: t.text, sealed_content: t.bytea });

/**
 * The lock keeps the attempt as it is until the commit. A checkpoint behind others shows that the run gets on; writes of nodes don't, which
 * a step of the graph makes anew on each attempt.
 */
const keep = statement({
  name: "keep-checkpoints",
  takes: {
    run_id: t.text,
    attempt: t.integer,
    dropped: listOf(t.text),
    superseded: listOf(t.text),
    befores: listOf(t.text),
    ...input.takes,
  },
  gives: { id: t.text },
  text: sql`
    WITH ${input.cte}, held AS (
      SELECT id, lost_attempts FROM runs WHERE id = $run_id AND attempt = $attempt AND ${runIsStill.running()} FOR SHARE
    ), begun AS (
      INSERT INTO run_journals (run_id, last_place, bytes) SELECT id, 0, 0 FROM held ON CONFLICT (run_id) DO NOTHING
    ), gone_on AS (
      UPDATE run_journals SET lost_before = lost_attempts FROM held
      WHERE run_id = held.id AND lost_before < lost_attempts AND cardinality($superseded) > 0
    ), dropped AS (
      DELETE FROM run_checkpoints USING held WHERE run_id = held.id AND namespace = ANY($dropped)
    ), superseded AS (
      DELETE FROM run_checkpoints USING held, unnest($superseded, $befores) AS later (namespace, before)
      WHERE run_id = held.id AND run_checkpoints.namespace = later.namespace
        AND checkpoint_id COLLATE "C" < later.before COLLATE "C" AND NOT (run_checkpoints.namespace = ANY($dropped))
    ), written AS (
      INSERT INTO run_checkpoints (run_id, id, namespace, checkpoint_id, sealed_content)
      SELECT held.id, input.id, input.namespace, input.checkpoint_id, input.sealed_content FROM held, input
      ON CONFLICT (run_id, id) DO NOTHING
    )
    SELECT id FROM held`,
});

/** Returns what is kept of a run's graph, in order. */
export async function readCheckpoints(db: Db, run_id: string): Promise<KeptCheckpoint[]> {
  return read.rows(db.sql, { run_id });
}

/** Returns what a run's checkpoints take, by namespace, in bytes as they are stored. */
export async function readCheckpointSizes(
  db: Db,
  run_id: string,
): Promise<{ namespace: string; bytes: number; rows: number }[]> {
  return sizes.rows(db.sql, { run_id });
}

const sizes = statement({
  name: "read-checkpoint-sizes",
  takes: { run_id: t.text },
  gives: { namespace: t.text, bytes: t.double, rows: t.integer },
  text: sql`
    SELECT namespace, sum(length(sealed_content))::double precision AS bytes, count(*)::integer AS rows
    FROM run_checkpoints WHERE run_id = $run_id GROUP BY namespace`,
});

const read = statement({
  name: "read-checkpoints",
  takes: { run_id: t.text },
  gives: { id: t.text, sealed_content: t.bytea },
  text: sql`SELECT id, sealed_content FROM run_checkpoints WHERE run_id = $run_id ORDER BY number`,
});
