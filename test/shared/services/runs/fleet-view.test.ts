import { afterAll, expect, test } from "vitest";
import { createFleetView } from "../../../../shared/services/runs/fleet-view.ts";
import { openDb } from "../../../../shared/store/client.ts";
import { announceWorker } from "../../../../shared/store/workers/announce-worker.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());

const announce = (id: string, adapters: string[], pool: string) =>
  announceWorker(db, {
    ...{ id, host: "h", pid: 1, software: "1", slots: 1, busy: 0, lease_ms: 30_000, adapters, pool, status: "active" },
    sandbox: { level: 0, name: "none", layers: [], missing: [] },
  });

test("a worker that has just been started is found at once, so no run is said to wait for one", async () => {
  const fleet = createFleetView(db, []);
  const run = { adapter_type: "python", pool: "gpu" };
  expect(await fleet.isStaffed()).toBe(false);
  await announce("w1", ["python"], "default");
  expect([await fleet.isStaffed(), await fleet.offers("python")]).toEqual([true, true]);
  expect(await fleet.offering(run)).toEqual([]);
  await announce("w2", ["node"], "gpu");
  await announce("w3", ["python"], "gpu");
  expect(await fleet.offering(run)).toEqual(["w3"]);
  expect(await fleet.offers("container")).toBe(false);
});

test("what the deployment starts workers for counts as offered while there is none", async () => {
  const fleet = createFleetView(db, ["container"]);
  expect([await fleet.offers("container"), await fleet.isStaffed(), await fleet.offers("http")]).toEqual([
    true,
    true,
    false,
  ]);
});
