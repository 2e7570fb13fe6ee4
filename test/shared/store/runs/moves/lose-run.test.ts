import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../../../shared/store/client.ts";
import { renewLeases } from "../../../../../shared/store/runs/moves/renew-leases.ts";
import { appendEntry } from "../../../../../shared/store/journal/append-entries.ts";
import { requeueLostRuns } from "../../../../../shared/store/runs/moves/lose-run.ts";
import { call, makeAgent } from "../../../../harness/client.ts";
import { py } from "../../../../harness/py.ts";
import { useTestStack } from "../../../../harness/test-stack.ts";
import { moves } from "../run-moves.ts";

const lost = 200;

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 8, () => undefined);
const { url } = await stack.openApi();
const worker = await stack.start("worker");
const agent_id = await makeAgent(
  url,
  py`
    import time
    def main(input):
        time.sleep(60)
  `,
);
const { body } = await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "respond-async" });
// Nobody is left to mend anything, but for the test.
await worker.stop("SIGKILL");
await stack.sql.query(
  `INSERT INTO runs SELECT r.* FROM runs original, generate_series(1, ${lost}) AS i,
     jsonb_populate_record(original, jsonb_build_object('id', 'lost-' || i, 'status', 'running', 'attempt', 1,
       'worker_id', 'gone', 'lease_until', now() - interval '1 s')) AS r
   WHERE original.id = $1`,
  [body["id"]],
);
afterAll(() => db.close());

test("of any number of reconcilers that look at once, one takes back each lost run, and charges it once", async () => {
  const reconcile = async (): Promise<string[]> => {
    const taken: string[] = [];
    for (;;) {
      const runs = await requeueLostRuns(db, { limit: 7, leaseMs: 2_000 });
      taken.push(...runs.map(({ id }) => id));
      if (runs.length === 0) return taken;
    }
  };
  const taken = (await Promise.all(Array.from({ length: 6 }, reconcile))).flat().filter((id) => id.startsWith("lost-"));
  expect(taken).toHaveLength(lost);
  expect(new Set(taken).size).toBe(lost);
  const { rows } = await stack.sql.query(
    `SELECT count(*)::int AS n, min(moves)::int AS fewest, max(moves)::int AS most, sum(lost_attempts)::int AS charged
     FROM (SELECT r.id, r.lost_attempts, count(t.*) AS moves FROM runs r JOIN run_transitions t ON t.run_id = r.id
       WHERE r.id LIKE 'lost-%' AND r.status = 'queued' GROUP BY r.id) AS requeued`,
  );
  expect(rows[0]).toEqual({ n: lost, fewest: 1, most: 1, charged: lost });
});

test("a renewal of leases locks runs in the order of their ids, so it and a move can't wait for each other", async () => {
  await stack.sql.query(
    `INSERT INTO runs SELECT r.* FROM runs original, unnest(ARRAY['held-2', 'held-1']) AS held,
       jsonb_populate_record(original, jsonb_build_object('id', held, 'status', 'running', 'attempt', 1,
         'worker_id', 'gone', 'lease_until', now() + interval '1 hour')) AS r
     WHERE original.id = $1`,
    [body["id"]],
  );
  const move = await db.sql.connect();
  try {
    await move.query("BEGIN");
    await move.query("SELECT 1 FROM runs WHERE id = 'held-1' FOR UPDATE");
    const held = ["held-2", "held-1"].map((id) => ({ id, attempt: 1 }));
    const renewing = renewLeases(db, held, 2_000);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%SET lease_until%'";
    while ((await stack.sql.query(waiting)).rowCount === 0) await sleep(20);
    await move.query("SELECT 1 FROM runs WHERE id = 'held-2' FOR UPDATE NOWAIT");
    await move.query("COMMIT");
    expect((await renewing).map(({ id }) => id).toSorted()).toEqual(["held-1", "held-2"]);
  } finally {
    move.release(true);
  }
});

/** Loses the attempt of a run after it has kept entries of these kinds. Returns what becomes of the run. */
async function lose(id: string, attempt: number, kinds: readonly string[]): Promise<string | undefined> {
  await stack.sql.query(
    `INSERT INTO runs SELECT r.* FROM runs original, jsonb_populate_record(original, jsonb_build_object('id', $2::text,
       'status', 'running', 'attempt', 1, 'worker_id', 'gone', 'lost_attempts', 0, 'max_attempts', 2,
       'lease_until', now() + interval '1 hour')) AS r
     WHERE original.id = $1
     ON CONFLICT (id) DO UPDATE SET status = 'running', attempt = $3, lease_until = excluded.lease_until`,
    [body["id"], id, attempt],
  );
  for (const kind of kinds) {
    const entry = { run_id: id, attempt, key: `${kind} ${attempt}`, kind, writer: "test", sealed_entry: Buffer.of(1) };
    expect(await appendEntry(db, entry)).not.toBeNull();
  }
  await stack.sql.query("UPDATE runs SET lease_until = now() - interval '1 s' WHERE id = $1", [id]);
  const lost = await requeueLostRuns(db, { limit: 1_000, leaseMs: 2_000 });
  return lost.find((run) => run.id === id)?.outcome;
}

test("a run whose journal grows outlives any number of workers; one that is lost each time at the same place ends", async () => {
  for (let attempt = 1; attempt <= 5; attempt += 1) expect(await lose("going", attempt, ["step"])).toBe("requeued");
  expect(await lose("going", 6, [])).toBe("exhausted");
  // A call with the time in it is another one on each attempt.
  expect(await lose("stuck", 1, ["step", "call"])).toBe("requeued");
  expect(await lose("stuck", 2, ["call"])).toBe("exhausted");
  expect(await lose("plain", 1, [])).toBe("requeued");
  expect(await lose("plain", 2, [])).toBe("exhausted");
});

test("a run that waits has nothing lost", async () => {
  const countLost = async () =>
    (await stack.sql.query("SELECT lost_attempts FROM runs WHERE id = 'patient'")).rows[0]?.lost_attempts;
  expect(await lose("patient", 1, ["step"])).toBe("requeued");
  expect(await countLost()).toBe(1);
  await stack.sql.query(
    "UPDATE runs SET status = 'running', attempt = 2, lease_until = now() + interval '1 hour' WHERE id = 'patient'",
  );
  expect(await moves.suspend(db, { id: "patient", nextSeq: () => 2, to: "suspended", attempt: 2 })).toBe(true);
  expect(await countLost()).toBe(0);
});
