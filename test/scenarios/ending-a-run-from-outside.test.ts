import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { startBehindProxies } from "../harness/behind-proxies.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";
import { quickest } from "../harness/quickest.ts";

const sleeper = py`
  import time
  def main(input):
      yield 'started'
      time.sleep(60)
`;

const stack = await useTestStack();
const { url } = await stack.startService();

/** A run that has given its first output. */
async function started(): Promise<{ runId: string; rest: Promise<Awaited<ReturnType<typeof readEvents>>> }> {
  const agent_id = await makeAgent(url, sleeper);
  const response = await execute(url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const events = await readEvents(response, (event) => event.event === "output.delta");
  return { runId, rest: resume(url, runId, events.at(-1)?.id).then((answer) => readEvents(answer)) };
}

test("complete ends a running run, stops its process, ends its stream; again is 200, otherwise 409", async () => {
  const { runId, rest } = await started();
  const done = await call(url, "POST", `/v1/runs/${runId}/complete`, {
    status: "success",
    result_content: { by: "me" },
    duration_ms: "12",
  });
  expect(done).toMatchObject({
    status: 200,
    body: {
      completed: true,
      already_completed: false,
      status: "success",
      result_content: { by: "me" },
      duration_ms: 12,
    },
  });
  const last = (await rest).at(-1);
  expect(last).toMatchObject({ event: "run.success", data: { result_content: { by: "me" } } });
  const again = await call(url, "POST", `/v1/runs/${runId}/complete`, {});
  expect(again).toMatchObject({ status: 200, body: { already_completed: true, result_content: { by: "me" } } });
  expect((await call(url, "POST", `/v1/runs/${runId}/complete`, { status: "failed" })).status).toBe(409);
  await waitFor(async () => (await call(url, "GET", "/health")).body["workers"] === 1);
  const busy = async () => ((await call(url, "GET", "/v1/admin/fleet")).body["data"] as { busy: number }[])[0]?.busy;
  await waitFor(async () => (await busy()) === 0);
});

test("50 completes at once: one of them ends the run, its history has one terminal event", async () => {
  const { runId, rest } = await started();
  const words = ["success", "error", "timeout", "cancelled"];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => call(url, "POST", `/v1/runs/${runId}/complete`, { status: words[i % 4] })),
  );
  expect(answers.filter(({ status, body }) => status === 200 && body["already_completed"] === false)).toHaveLength(1);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  await rest;
  const { rows } = await stack.sql.query(
    `SELECT 1 FROM run_transitions WHERE run_id = $1 AND "to" NOT IN ('queued', 'running')`,
    [runId],
  );
  expect(rows).toHaveLength(1);
});

test("cancel ends a running run within a second; cancelling it again changes nothing", async () => {
  const timeOfEnd = async (): Promise<number> => {
    const { runId, rest } = await started();
    const at = performance.now();
    expect((await call(url, "POST", `/v1/runs/${runId}/cancel`)).status).toBe(200);
    expect((await rest).at(-1)).toMatchObject({ event: "run.cancelled", data: { partial: { output: "started" } } });
    const took = performance.now() - at;
    expect(await call(url, "POST", `/v1/runs/${runId}/cancel`)).toMatchObject({
      status: 200,
      body: { status: "cancelled" },
    });
    return took;
  };
  expect(await quickest(1_000, timeOfEnd)).toBeLessThan(1_000);
});

test("on_disconnect=cancel cancels the run when its client goes; else it goes on", async () => {
  const agent_id = await makeAgent(url, sleeper);
  const going = new AbortController();
  const response = await fetch(`${url}/v1/execute?on_disconnect=cancel`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent_id, version: "current" }),
    signal: going.signal,
  });
  const runId = response.headers.get("x-run-id") ?? "";
  going.abort();
  await waitFor(async () => (await call(url, "GET", `/v1/runs/${runId}`)).body["status"] === "cancelled");
  const other = await started();
  expect((await call(url, "GET", `/v1/runs/${other.runId}`)).body["status"]).toBe("running");
  await call(url, "POST", `/v1/runs/${other.runId}/cancel`);
});

test("on_disconnect=cancel lets the run go on when the service cuts the connection", async () => {
  const behind = await startBehindProxies(stack, "api");
  const { member, postgres } = behind;
  const agent_id = await makeAgent(url, sleeper);
  const body = { run_id: "is-cut", agent_id, version: "current" };
  await readEvents(await execute(url, body), ({ event }) => event === "output.delta");
  // Who attaches to the run is given what the stores have of it.
  const wasCut = postgres.cutAt("read-transcript", "before");
  const attached = await execute(member.url, body, {}, "?on_disconnect=cancel");
  await wasCut;
  expect((await readEvents(attached)).at(-1)?.event).not.toBe("run.cancelled");
  for (let n = 0; n < 20; n += 1)
    expect((await call(member.url, "GET", "/v1/runs/is-cut")).body["status"]).toBe("running");
  await call(url, "POST", "/v1/runs/is-cut/cancel");
  await behind.close();
});

test("an unknown run is a 404 everywhere", async () => {
  const paths = [
    ["GET", ""],
    ["GET", "/stream"],
    ["GET", "/events"],
    ["GET", "/callbacks"],
    ["POST", "/cancel"],
    ["POST", "/complete"],
  ] as const;
  for (const [method, path] of paths) {
    const answer = await call(url, method, `/v1/runs/nobody${path}`, method === "POST" ? {} : undefined);
    expect([path, answer.status, answer.body["code"]]).toEqual([path, 404, "run_not_found"]);
  }
});
