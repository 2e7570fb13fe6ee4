import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { type BehindProxies, startBehindProxies } from "../harness/behind-proxies.ts";
import { py } from "../harness/py.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";

/** A slow machine doesn't use it up. */
const lease = { LEASE_MS: "5000" };

const source = py`
  import time
  def main(input):
      for i in range(input['n']):
          yield i
          time.sleep(0.1)
      return {'n': input['n']}
`;
const ask = (n: number, agent_id = agentId) => ({
  run_id: randomUUID(),
  agent_id,
  version: "current",
  input_payload: { n },
});

async function movesOf(runId: string): Promise<string[]> {
  const { rows } = await stack.sql.query<{ to: string }>(
    `SELECT "to"::text FROM run_transitions WHERE run_id = $1 ORDER BY seq`,
    [runId],
  );
  return rows.map(({ to }) => to);
}

const stack = await useTestStack();
const { url } = await stack.openApi();
const agentId = await makeAgent(url, source, { max_attempts: 5 });
/** With a bound its runs are claimed, not granted. */
const boundedId = await makeAgent(url, source, { max_attempts: 5, concurrency: 8 });

describe("an API whose connection to Postgres is cut", () => {
  let behind: BehindProxies;
  let worker: Member;
  beforeAll(async () => {
    [behind, worker] = await Promise.all([startBehindProxies(stack, "api", lease), stack.start("worker", lease)]);
  });
  afterAll(() => Promise.all([behind.close(), worker.stop("SIGKILL")]));

  // A granted run is its worker's by its acceptance. A worker that was never told of it loses it, and it runs again.
  const claimed = /^queued,running,success$/;
  const granted = /^queued,running(,queued,running)?,success$/;
  test.each([
    ["before", "claimed", boundedId, claimed],
    ["after", "claimed", boundedId, claimed],
    ["before", "granted", agentId, granted],
    ["after", "granted", agentId, granted],
  ] as const)(
    "a run whose acceptance was cut %s its commit is accepted by the repeat, once (%s)",
    async (cut, _, agent_id, moves) => {
      const { member, postgres } = behind;
      const body = ask(1, agent_id);
      const wasCut = postgres.cutAt("insert-run", cut);
      const first = await execute(member.url, body);
      await wasCut;
      const answer = first.ok ? first : await execute(member.url, body);
      expect([200, 503]).toContain(first.status);
      expect((await readEvents(answer)).at(-1)).toMatchObject({ event: "run.success" });
      expect((await movesOf(body.run_id)).join()).toMatch(moves);
    },
  );
});

test("a replay whose answer was lost is done once: its repeat is given the same run, also when the source was changed", async () => {
  const behind = await startBehindProxies(stack, "api");
  const worker = await stack.start("worker", lease);
  const { member, postgres } = behind;
  const source = ask(1, boundedId);
  await readEvents(await execute(url, source));
  const replay = (body: object) =>
    call(member.url, "POST", `/v1/runs/${source.run_id}/replay`, body, { "idempotency-key": "once" });
  const edits = { input_payload: { n: 2 } };
  const wasCut = postgres.cutAt("insert-run", "after");
  const first = await replay(edits);
  await wasCut;
  expect(first.status).toBe(503);
  await call(url, "PATCH", `/v1/runs/${source.run_id}`, { metadata: { seen: true } });
  expect(await replay({ input_payload: { n: 3 } })).toMatchObject({ status: 422 });
  const { status, body } = await replay(edits);
  const again = await replay(edits);
  const { rows } = await stack.sql.query("SELECT id FROM runs WHERE replay_of = $1", [source.run_id]);
  await Promise.all([worker.stop("SIGKILL"), behind.close()]);
  expect([status, again.status, again.body["id"]]).toEqual([202, 202, body["id"]]);
  expect(rows).toEqual([{ id: body["id"] }]);
});

/** The fault points of a run's way, with what the run's moves and its last event's id are then. */
const points = [
  ["claim-run", "before", ["queued", "running", "success"], "1-"],
  ["claim-run", "after", ["queued", "running", "queued", "running", "success"], "2-"],
  ["append-transcript", "before", ["queued", "running", "success"], "1-"],
  ["append-transcript", "after", ["queued", "running", "success"], "1-"],
  ["finalize-run", "before", ["queued", "running", "success"], "1-"],
  ["finalize-run", "after", ["queued", "running", "success"], "1-"],
] as const;

describe("a worker whose connection to Postgres is cut", () => {
  let behind: BehindProxies;
  beforeAll(async () => {
    behind = await startBehindProxies(stack, "worker", lease);
  });
  afterAll(() => behind.close());

  // At each point the request to Postgres is lost, or it is carried out and its answer is.
  test.each(points)("at %s, %s its commit: the run ends once, its stream is whole", async (text, cut, moves, last) => {
    const { postgres } = behind;
    const wasCut = postgres.cutAt(text, cut);
    const body = ask(15, text === "claim-run" ? boundedId : agentId);
    const reading = readEvents(await execute(url, body));
    await wasCut;
    // The worker doesn't know that it has the run, so it doesn't renew the lease. By now it may have the run by another attempt.
    if (moves.length > 3)
      await stack.sql.query("UPDATE runs SET lease_until = now() WHERE id = $1 AND attempt = 1", [body.run_id]);
    const events = await reading;
    expect(await movesOf(body.run_id)).toEqual(moves);
    expect(events.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { n: 15 } } });
    expect(events.at(-1)?.id.startsWith(last)).toBe(true);
    const own = events.filter(({ id }) => id.startsWith(last)).map(({ id }) => id);
    expect(own).toEqual(own.map((_, i) => `${last}${i + 1}`));
    await stack.redis.del(`${stack.prefix}run:${body.run_id}`);
    expect(await readEvents(await resume(url, body.run_id))).toEqual(events);
  });
});

test("a worker that leaves gives a run back though the statement's first answer is lost: uncharged, and with its time in the queue anew", async () => {
  const behind = await startBehindProxies(stack, "worker", { SHUTDOWN_GRACE_MS: "100" });
  const waits = py`
    import time
    def main(input, context):
        time.sleep(60 if context.attempt == 1 else 0)
  `;
  const agent_id = await makeAgent(url, waits, { limits: { queue_ttl_ms: 3_000 }, max_attempts: 1 });
  const response = await execute(url, { agent_id, version: "current", input_payload: {} });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  const read = async (what: string): Promise<unknown> =>
    (await stack.sql.query<{ is: unknown }>(`SELECT ${what} AS "is" FROM runs WHERE id = $1`, [runId])).rows[0]?.is;
  // It has run for longer than it may be queued.
  await expect.poll(() => read("status = 'running' AND expires_at < now()"), { timeout: 30_000 }).toBe(true);
  const next = await stack.start("worker");
  const wasCut = behind.postgres.cutAt("give-back-run", "before");
  await behind.member.stop("SIGTERM");
  await wasCut;
  const events = await watching;
  await next.stop("SIGKILL");
  await behind.close();
  expect(events.at(-1)).toMatchObject({ event: "run.success", data: { attempt: 2 } });
  expect(await movesOf(runId)).toEqual(["queued", "running", "queued", "running", "success"]);
  expect(await read("expires_at > created_at + interval '6 s'")).toBe(true);
}, 60_000);
