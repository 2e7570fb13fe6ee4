import { afterAll, expect, test } from "vitest";
import { openDb } from "../../shared/store/client.ts";
import { bookAllUsage } from "../../shared/store/billing/book-usage.ts";
import { resetWeeks } from "../../shared/store/billing/reset-weeks.ts";
import { takeDuty } from "../../shared/store/internal-jobs/take-duty.ts";
import { call, makeAgent } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 10, () => undefined);
afterAll(() => db.close());

test("of any number of workers one takes a duty within its time; a clock that was set back leaves none untaken", async () => {
  const takers = (name: string, everyMs: number) =>
    Promise.all(Array.from({ length: 30 }, () => takeDuty(db, name, everyMs))).then(
      (taken) => taken.filter(Boolean).length,
    );
  expect(await takers("sweep", 60_000)).toBe(1);
  expect(await takers("sweep", 60_000)).toBe(0);
  expect(await takers("other", 60_000)).toBe(1);
  await stack.sql.query("UPDATE fleet_duties SET taken_at = now() - interval '61 s' WHERE name = 'sweep'");
  expect(await takers("sweep", 60_000)).toBe(1);
  await stack.sql.query("UPDATE fleet_duties SET taken_at = now() + interval '1 h' WHERE name = 'sweep'");
  expect(await takers("sweep", 60_000)).toBe(1);
});

test("billing with nothing to book takes neither its lock nor a transaction", async () => {
  const locker = await stack.sql.connect();
  await locker.query("BEGIN; SELECT pg_advisory_xact_lock(5262019)");
  // Would wait for the lock.
  await bookAllUsage(db);
  expect(await resetWeeks(db, { batch: 10, dryRun: false })).toBe(0);
  await locker.query("ROLLBACK");
  locker.release();
});

test("two workers reconcile as often as one, and a lost run comes back in time", async () => {
  const api = await stack.openApi();
  const workers = await Promise.all([1, 2].map(() => stack.start("worker")));
  const seen = new Set<string>();
  const begun = performance.now();
  await waitFor(async () => {
    const { rows } = await stack.sql.query("SELECT taken_at FROM fleet_duties WHERE name = 'reconcile-runs'");
    seen.add(String(rows[0]?.taken_at?.getTime()));
    return performance.now() - begun > 4_000;
  });
  // Once a second, and the shortest time between two is 0.8 s.
  expect(seen.size).toBeLessThanOrEqual(7);
  expect(seen.size).toBeGreaterThan(1);

  const agent_id = await makeAgent(api.url, "import time\ndef main(input):\n    time.sleep(input.get('s', 0))\n");
  const body = { agent_id, version: "current", input_payload: { s: 60 } };
  const { body: run } = await call(api.url, "POST", "/v1/execute", body, { prefer: "respond-async" });
  const holder = await waitFor(async () => {
    const { rows } = await stack.sql.query(
      "SELECT pid FROM runs JOIN workers ON workers.id = worker_id WHERE runs.id = $1 AND runs.status = 'running'",
      [run["id"]],
    );
    return workers.find(({ child }) => child.pid === rows[0]?.pid);
  });
  await holder.stop("SIGKILL");
  await stack.lapse(holder);
  await waitFor(async () => {
    const { rows } = await stack.sql.query("SELECT 1 FROM runs WHERE id = $1 AND attempt = 2", [run["id"]]);
    return rows.length > 0;
  }, 6_000);
}, 60_000);
