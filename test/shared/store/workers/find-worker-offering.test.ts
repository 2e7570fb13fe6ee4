import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { announceWorker } from "../../../../shared/store/workers/announce-worker.ts";
import { findRoomiestWorker, findWorkerOffering } from "../../../../shared/store/workers/find-worker-offering.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());

const announce = (id: string, busy: number) =>
  announceWorker(db, {
    ...{ id, host: "h", pid: 1, software: "1", slots: 4, busy, lease_ms: 6_000, adapters: ["python"], pool: "default" },
    ...{ status: "active", sandbox: { level: 0, name: "none", layers: [], missing: [] } },
  });

test("of workers that die one after the other, no dead one is left to make room for a run that is executed alone", async () => {
  const run = { adapter_type: "python", pool: "default" };
  await announce("dead", 0);
  await announce("busy", 3);
  await announce("live", 1);
  expect(await findRoomiestWorker(db, run)).toBe("dead");
  // It has missed two of its announcements, one each third of its lease.
  await stack.sql.query("UPDATE workers SET heartbeat_at = now() - interval '5 s' WHERE id = 'dead'");
  expect(await findRoomiestWorker(db, run)).toBe("live");
  // Others may still hope for it.
  expect(await findWorkerOffering(db, run)).toBe("dead");
  await stack.sql.query("UPDATE workers SET heartbeat_at = now() - interval '16 s'");
  expect([await findRoomiestWorker(db, run), await findWorkerOffering(db, run)]).toEqual([null, null]);
});
