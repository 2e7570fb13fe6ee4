import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { type FaultProxy, openFaultProxy } from "../harness/fault-proxy.ts";
import { waitFor } from "../harness/wait-for.ts";
import { type Member, openTestStack, type Role, type TestStack } from "../harness/test-stack.ts";

/** The fault points of a run's way: at each, the request to Postgres is lost, or it is carried out and its answer is. */
let stack: TestStack;
let url: string;
let agentId: string;
const proxies: FaultProxy[] = [];
/** Those of one test. */
let members: Member[] = [];

/** With a lease that a slow machine doesn't use up. */
async function start(role: Role, env: Record<string, string> = {}): Promise<Member> {
  const member = await stack.start(role, { LEASE_MS: "5000", ...env });
  members.push(member);
  return member;
}

/** Between one member and its Postgres and Redis. */
async function startBehindProxies(
  role: Role,
  env: Record<string, string> = {},
): Promise<{ member: Member; postgres: FaultProxy; redis: FaultProxy }> {
  const [database, redisUrl] = [new URL(stack.databaseUrl), new URL(stack.redisUrl)];
  const open = async (at: URL): Promise<FaultProxy> => {
    const proxy = await openFaultProxy({ host: at.hostname, port: Number(at.port) });
    proxies.push(proxy);
    at.port = String(proxy.port);
    return proxy;
  };
  const [postgres, redis] = [await open(database), await open(redisUrl)];
  const member = await start(role, { ...env, DATABASE_URL: database.href, REDIS_URL: redisUrl.href });
  return { member, postgres, redis };
}

const source =
  "import time\ndef main(input):\n    for i in range(input['n']):\n        yield i\n        time.sleep(0.1)\n    return {'n': input['n']}\n";
const ask = (n: number) => ({ run_id: randomUUID(), agent_id: agentId, version: "current", input_payload: { n } });

async function movesOf(runId: string): Promise<string[]> {
  const { rows } = await stack.sql.query<{ to: string }>(
    `SELECT "to"::text FROM run_transitions WHERE run_id = $1 ORDER BY seq`,
    [runId],
  );
  return rows.map(({ to }) => to);
}

beforeAll(async () => {
  stack = await openTestStack();
  url = (await stack.start("api")).url;
  agentId = await makeAgent(url, source, { max_attempts: 5 });
});
afterEach(async () => {
  await Promise.all(members.map((member) => member.stop("SIGKILL")));
  members = [];
});
afterAll(async () => {
  await stack?.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

test.each(["before", "after"] as const)(
  "a run whose acceptance was cut %s its commit is accepted by the repeat, once",
  async (cut) => {
    const { member, postgres } = await startBehindProxies("api");
    await start("worker");
    const body = ask(1);
    const wasCut = postgres.cutAt("insert-run", cut);
    const first = await execute(member.url, body);
    await wasCut;
    const answer = first.ok ? first : await execute(member.url, body);
    expect([200, 503]).toContain(first.status);
    expect((await readEvents(answer)).at(-1)).toMatchObject({ event: "run.success" });
    expect(await movesOf(body.run_id)).toEqual(["queued", "running", "success"]);
  },
);

/** With what the run's moves and its last event's id are then. */
const points = [
  ["claim-run", "before", ["queued", "running", "success"], "1-"],
  ["claim-run", "after", ["queued", "running", "queued", "running", "success"], "2-"],
  ["append-transcript", "before", ["queued", "running", "success"], "1-"],
  ["append-transcript", "after", ["queued", "running", "success"], "1-"],
  ["finalize-run", "before", ["queued", "running", "success"], "1-"],
  ["finalize-run", "after", ["queued", "running", "success"], "1-"],
] as const;

test.each(points)(
  "a worker whose %s is cut %s its commit: the run ends once, its stream is whole",
  async (text, cut, moves, last) => {
    const { postgres } = await startBehindProxies("worker");
    const wasCut = postgres.cutAt(text, cut);
    const body = ask(15);
    const events = await readEvents(await execute(url, body));
    await wasCut;
    expect(await movesOf(body.run_id)).toEqual(moves);
    expect(events.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { n: 15 } } });
    expect(events.at(-1)?.id.startsWith(last)).toBe(true);
    const own = events.filter(({ id }) => id.startsWith(last)).map(({ id }) => id);
    expect(own).toEqual(own.map((_, i) => `${last}${i + 1}`));
    await stack.redis.del(`${stack.prefix}run:${body.run_id}`);
    expect(await readEvents(await resume(url, body.run_id))).toEqual(events);
  },
);

test("a worker whose Postgres connections fall silent in mid-run loses the run to another one, and takes runs again when they are back", async () => {
  const { postgres } = await startBehindProxies("worker", { DATABASE_POOL: "1" });
  const body = ask(30);
  const watching = readEvents(await execute(url, body));
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${body.run_id}`)) > 3);
  postgres.swallow();
  const other = await start("worker");
  const events = await watching;
  expect(events.at(-1)).toMatchObject({ event: "run.success", id: expect.stringMatching(/^2-/) });
  expect(await movesOf(body.run_id)).toEqual(["queued", "running", "queued", "running", "success"]);
  await other.stop("SIGKILL");
  postgres.heal();
  const next = await readEvents(await execute(url, ask(1)));
  expect(next.at(-1)).toMatchObject({ event: "run.success" });
}, 120_000);

test("a worker whose Redis connections fall silent in mid-run ends it all the same, and its readers miss nothing", async () => {
  const { redis } = await startBehindProxies("worker");
  const body = ask(30);
  const watching = readEvents(await execute(url, body));
  redis.swallow();
  const events = await watching;
  expect(await movesOf(body.run_id)).toEqual(["queued", "running", "success"]);
  expect(events.map(({ id }) => id)).toEqual(["0-1", ...Array.from({ length: 32 }, (_, i) => `1-${i + 1}`)]);
  redis.heal();
  const next = await readEvents(await execute(url, ask(1)));
  expect(next.at(-1)).toMatchObject({ event: "run.success" });
}, 120_000);

test("a worker and an API whose Redis connections fell silent hear at once again within half a minute, though nobody cut them", async () => {
  const worker = await startBehindProxies("worker");
  const api = await startBehindProxies("api");
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
}, 120_000);
