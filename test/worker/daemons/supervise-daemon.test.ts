import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { claimDaemons } from "../../../shared/store/daemons/claim-daemons.ts";
import { superviseDaemon, type SupervisorDeps } from "../../../worker/daemons/supervise-daemon.ts";
import { openFaultProxy } from "../../harness/fault-proxy.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { openFakeProcess } from "./fake-process.ts";

const leaseMs = 2_000;
const stack = await useTestStack();
const direct = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => direct.close());

/** What a test lets happen when it wants to. */
function gate<T>() {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open };
}

/** A daemon with packages, under a worker whose Postgres can fall silent. The test says when its packages and its sandbox are there. */
async function startDaemon(agent_id: string) {
  await stack.sql.query("INSERT INTO users (id) VALUES ('u') ON CONFLICT DO NOTHING");
  const data = { id: agent_id, user_id: "u", name: agent_id, current_version: "1" };
  await direct.prisma.agent.create({ data });
  const config = { adapter_type: "python", source: "pass", requirements: ["greeter"] };
  await direct.prisma.agentVersion.create({ data: { agent_id, version: "1", config } });
  await direct.prisma.daemon.create({ data: { agent_id, user_id: "u", version: "1", desired: "running" } });
  const server = new URL(stack.databaseUrl);
  const proxy = await openFaultProxy({ host: server.hostname, port: Number(server.port || 5432) });
  server.host = `127.0.0.1:${proxy.port}`;
  const db = openDb(server.href, 2, () => undefined);
  const [asked, installed] = [gate<void>(), gate<{ directory: string }>()];
  const [made, sandbox, lost] = [gate<void>(), gate<void>(), gate<void>()];
  const child = openFakeProcess();
  const warn = (_about: object, text: string) => void (text.includes("no longer this worker's") && lost.open());
  const build = () => {
    asked.open();
    return { log: (async function* () {})(), done: installed.opened };
  };
  let isMade = false;
  const host = async () => {
    isMade = true;
    made.open();
    await sandbox.opened;
    return child.child;
  };
  const daemons = { stallMs: 60_000, watchMs: 60_000, backoffScale: 1 };
  const ctx = {
    config: { worker: { leaseMs }, daemons, encryptionKeys: [] },
    ...{ db, log: { warn }, card: {} },
    environments: { find: () => null, build },
    daemonHosts: new Map([["python", host]]),
  } as unknown as SupervisorDeps;
  const [claimed] = await claimDaemons(db, { worker_id: "w", pool: "default", leaseMs, limit: 1, hosts: ["python"] });
  if (!claimed) throw new Error("no daemon to claim");
  const { over } = superviseDaemon(ctx, claimed);
  return {
    isMade: () => isMade,
    ...{ child, asked, installed, made, sandbox },
    loseLease: async () => {
      await proxy.silenceAt("report-daemon", "before");
      await lost.opened;
    },
    /** Ends the connections, and waits for the supervisor. */
    end: async () => {
      await proxy.close();
      await over;
      await db.close();
    },
  };
}

test("a daemon whose packages come after its lease was lost is not started: another worker may have started it", async () => {
  const { isMade, asked, installed, end, loseLease } = await startDaemon("late-packages");
  await asked.opened;
  await loseLease();
  installed.open({ directory: "/nowhere" });
  await end();
  expect(isMade()).toBe(false);
});

test("a daemon whose process comes after its lease was lost is killed at once", async () => {
  const { child, installed, made, sandbox, end, loseLease } = await startDaemon("late-process");
  installed.open({ directory: "/nowhere" });
  await made.opened;
  await loseLease();
  sandbox.open();
  await waitFor(() => child.kills() > 0);
  child.end();
  await end();
});
