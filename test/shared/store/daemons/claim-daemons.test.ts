import { afterAll, beforeEach, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { claimDaemons } from "../../../../shared/store/daemons/claim-daemons.ts";
import { announceWorker } from "../../../../shared/store/workers/announce-worker.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());
beforeEach(async () => {
  await stack.sql.query(
    "DELETE FROM agents; DELETE FROM users; DELETE FROM workers; INSERT INTO users (id) VALUES ('u')",
  );
  const data = { id: "a", user_id: "u", name: "a", current_version: "1" };
  await db.prisma.agent.create({ data });
  await db.prisma.agentVersion.create({ data: { agent_id: "a", version: "1", config: { adapter_type: "node" } } });
  await db.prisma.daemon.create({ data: { agent_id: "a", user_id: "u", version: "1", desired: "running" } });
});

const sandbox = { level: 0, name: "none", layers: [], missing: [] };
const announce = (id: string, adapters: string[]) =>
  announceWorker(db, {
    id,
    host: "h",
    pid: 1,
    software: "1",
    slots: 1,
    busy: 0,
    lease_ms: 30_000,
    adapters,
    pool: "default",
    sandbox,
    status: "active",
  });
const claim = async (worker_id: string, hosts: string[]) =>
  (await claimDaemons(db, { worker_id, pool: "default", leaseMs: 1_000, limit: 5, hosts })).map(
    ({ agent_id }) => agent_id,
  );

test("a daemon is left to a live worker that can start it", async () => {
  await announce("python only", ["daemon:python"]);
  await announce("both", ["daemon:python", "daemon:node"]);
  expect(await claim("python only", ["python"])).toEqual([]);
  expect(await claim("both", ["python", "node"])).toEqual(["a"]);
});

test("where no worker can start a daemon, any takes it, so that somebody says so", async () => {
  await announce("python only", ["daemon:python"]);
  expect(await claim("python only", ["python"])).toEqual(["a"]);
});
