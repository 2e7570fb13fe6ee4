import { randomUUID } from "node:crypto";
import { describe, type TestContext, test } from "vitest";
import { startBehindProxies } from "../harness/behind-proxies.ts";
import { execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { type Member, type Role, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const source = py`
  import time
  def main(input):
      for i in range(input['n']):
          yield i
          time.sleep(0.1)
      return {'n': input['n']}
`;
/** A slow machine doesn't use it up. */
const lease = { LEASE_MS: "5000" };

type Scene = {
  start: (role: Role, env?: Record<string, string>) => ReturnType<typeof startBehindProxies>;
  /** A worker whose connections are sound. */
  startSound: () => Promise<Member>;
  ask: (n: number) => Record<string, unknown> & { run_id: string };
  movesOf: (runId: string) => Promise<string[]>;
  hasWritten: (runId: string) => Promise<boolean>;
};

/** One stack for all: what takes time here is the starts of processes. The connections of its API are sound. */
const stack = await useTestStack();
const { url } = await stack.openApi();

/** The workers of a scene take the runs of its own pool. */
async function openScene(context: TestContext, pool: string): Promise<Scene> {
  const agent_id = await makeAgent(url, source, { max_attempts: 5, pool });
  const env = { ...lease, WORKER_POOL: pool };
  return {
    async start(role, more = {}) {
      const behind = await startBehindProxies(stack, role, { ...env, ...more });
      context.onTestFinished(() => behind.close());
      return behind;
    },
    startSound: () => stack.start("worker", env),
    ask: (n) => ({ run_id: randomUUID(), agent_id, version: "current", input_payload: { n } }),
    hasWritten: (runId) => waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 3),
    async movesOf(runId) {
      const moves = `SELECT "to"::text FROM run_transitions WHERE run_id = $1 ORDER BY seq`;
      return (await stack.sql.query<{ to: string }>(moves, [runId])).rows.map(({ to }) => to);
    },
  };
}

// Each waits for time-outs more than it works.
describe.concurrent("a half-open connection", { timeout: 120_000 }, () => {
  test("a worker whose Postgres connections fall silent in mid-run loses the run to another one, and takes runs again when they are back", async (context) => {
    const { expect } = context;
    const { start, startSound, ask, movesOf, hasWritten } = await openScene(context, "postgres");
    const { postgres } = await start("worker", { DATABASE_POOL: "1" });
    const body = ask(30);
    const watching = readEvents(await execute(url, body));
    await hasWritten(body.run_id);
    postgres.swallow();
    const other = await startSound();
    const events = await watching;
    expect(events.at(-1)).toMatchObject({ event: "run.success", id: expect.stringMatching(/^2-/) });
    expect(await movesOf(body.run_id)).toEqual(["queued", "running", "queued", "running", "success"]);
    await other.stop("SIGKILL");
    postgres.heal();
    const next = await readEvents(await execute(url, ask(1)));
    expect(next.at(-1)).toMatchObject({ event: "run.success" });
  });

  test("a worker whose Redis connections fall silent in mid-run ends it all the same, and its readers miss nothing", async (context) => {
    const { expect } = context;
    const { start, ask, movesOf, hasWritten } = await openScene(context, "redis");
    const { redis } = await start("worker");
    const body = ask(30);
    const watching = readEvents(await execute(url, body));
    await hasWritten(body.run_id);
    redis.swallow();
    const events = await watching;
    expect(await movesOf(body.run_id)).toEqual(["queued", "running", "success"]);
    expect(events.map(({ id }) => id)).toEqual(["0-1", ...Array.from({ length: 32 }, (_, i) => `1-${i + 1}`)]);
    redis.heal();
    const next = await readEvents(await execute(url, ask(1)));
    expect(next.at(-1)).toMatchObject({ event: "run.success" });
  });

  test("a worker and an API whose Redis connections fell silent hear at once again within half a minute, though nobody cut them", async (context) => {
    const { expect } = context;
    const { start, ask } = await openScene(context, "both");
    const worker = await start("worker");
    const api = await start("api");
    const secondsToTheEnd = async (): Promise<number> => {
      const from = performance.now();
      const events = await readEvents(await execute(api.member.url, ask(1)));
      expect(events.at(-1)).toMatchObject({ event: "run.success" });
      return (performance.now() - from) / 1_000;
    };
    for (const { redis } of [worker, api]) redis.swallow();
    for (const { redis } of [worker, api]) redis.heal();
    // Nudges and live events are lost at first: what is found by looking takes seconds.
    await expect.poll(secondsToTheEnd, { timeout: 60_000, interval: 100 }).toBeLessThan(1);
  });
});
