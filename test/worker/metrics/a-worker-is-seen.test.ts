import { expect, test } from "vitest";
import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "../../../dev/free-port.ts";
import { call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { hasSeries, readAlerts, readDashboardQueries, readScalers, seriesOf } from "../../deploy/named-series.ts";

/** Whoever runs workers sees what they do, without a key and without a run's id in a label. */
const stack = await useTestStack();

const agent = py`
  import time
  def main(input):
      if input.get('wait'):
          yield 'waiting'
          time.sleep(input['wait'])
      if input.get('fail'):
          raise ValueError('as asked')
      return {'ok': True}
`;

/** Returns the value of a series; null when there is none. */
const valueOf = (text: string, series: string): number | null => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length));
};

test("a worker's metrics count its attempts and time their steps, its log has a line of each, and it isn't ready while it drains", async () => {
  const METRICS_ADDRESS = `127.0.0.1:${await freePort()}`;
  const env = { METRICS_ADDRESS, LOG_LEVEL: "info", SHUTDOWN_GRACE_MS: "20000" };
  const { url, worker, api } = await stack.startMembers({ worker: env });
  const at = (path: string, init?: RequestInit) => fetch(`http://${METRICS_ADDRESS}${path}`, init);
  const metrics = async () => (await at("/metrics")).text();
  expect(valueOf(await metrics(), 'runfleet_attempts_lost_total{reason="worker_fault"}')).toBe(0);

  const agent_id = await makeAgent(url, agent);
  const play = async (input_payload: object) => {
    const response = await execute(url, { agent_id, version: "current", input_payload });
    return { id: response.headers.get("x-run-id") ?? "", last: (await readEvents(response)).at(-1)?.event };
  };
  const good = await play({});
  const bad = await play({ fail: true });
  expect([good.last, bad.last]).toEqual(["run.success", "run.error"]);
  const text = await waitFor(async () => {
    const read = await metrics();
    return valueOf(read, 'runfleet_attempts_total{adapter="python",ending="error"}') === 1 ? read : null;
  });
  expect(valueOf(text, 'runfleet_attempts_total{adapter="python",ending="success"}')).toBe(1);
  expect(valueOf(text, 'runfleet_attempt_seconds_count{adapter="python"}')).toBe(2);
  for (const step of ["claim", "start", "first_output", "run", "commit", "announce"])
    expect(valueOf(text, `runfleet_step_seconds_count{step="${step}"}`)).toBe(2);
  expect(valueOf(text, "runfleet_queue_wait_seconds_count")).toBe(2);
  expect(valueOf(text, "runfleet_first_output_seconds_count")).toBe(2);
  const starts = ["true", "false"].map((warm) =>
    valueOf(text, `runfleet_starts_total{adapter="python",warm="${warm}"}`),
  );
  expect(Number(starts[0]) + Number(starts[1])).toBe(2);
  expect(valueOf(text, 'runfleet_slots{state="all"}')).toBe(6);
  // Every series that an alert, a dashboard or a scaler reads is there, before anything bad has happened.
  const both = await waitFor(async () => {
    const read = `${await metrics()}\n${await (await fetch(`${api.url}/metrics`)).text()}`;
    return read.includes("runfleet_duty_age_seconds{") ? read : null;
  });
  const queries = [...readAlerts().map(({ expr }) => expr), ...readDashboardQueries(), readScalers()];
  const named = queries.flatMap(seriesOf);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((series) => !hasSeries(both, series))).toEqual([]);
  expect(both).not.toContain("worker_0");
  expect(valueOf(text, "runfleet_uncaught_errors")).toBe(0);
  for (const id of [good.id, bad.id, agent_id]) expect(text).not.toContain(id);

  const lines = worker
    .logged()
    .split("\n")
    .filter((line) => line.includes("an attempt ended"));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { run_id: good.id, agent_id, attempt: 1, adapter: "python", ending: "success" },
    { run_id: bad.id, agent_id, attempt: 1, adapter: "python", ending: "error", error_code: "agent_error" },
  ]);
  expect(lines.join("")).not.toContain("as asked");

  expect([(await at("/health/live")).status, (await at("/health/ready")).status]).toEqual([200, 200]);
  expect([(await at("/")).status, (await at("/metrics", { method: "POST" })).status]).toEqual([404, 405]);
  const long = execute(url, { agent_id, version: "current", input_payload: { wait: 3 } });
  await waitFor(async () => valueOf(await metrics(), 'runfleet_slots{state="busy"}') === 1);
  const exited = once(worker.child, "exit");
  worker.child.kill("SIGTERM");
  await waitFor(async () => (await at("/health/ready")).status === 503);
  expect((await at("/health/live")).status).toBe(200);
  expect((await readEvents(await long)).at(-1)?.event).toBe("run.success");
  await exited;
});

test("a worker whose address for metrics is taken says so and doesn't start", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(stack.start("worker", { METRICS_ADDRESS: `127.0.0.1:${port}` })).rejects.toThrow(/ended with code [^0]/);
  await expect(stack.start("worker", { METRICS_ADDRESS: "9464" })).rejects.toThrow(/ended with code [^0]/);
  server.close();
});

test("an API counts its requests by route and status, and tells how long the oldest of a queue waits", async () => {
  const { url } = await stack.start("api", { EXPECTED_ADAPTERS: "python" });
  const agent_id = await makeAgent(url, agent);
  const { status } = await call(url, "GET", `/v1/agents/${agent_id}`);
  expect([status, (await call(url, "GET", "/v1/agents/none")).status]).toEqual([200, 404]);
  const waiting = await execute(url, { agent_id, version: "current" });
  const text = await waitFor(async () => {
    const read = await (await fetch(`${url}/metrics`)).text();
    return (valueOf(read, 'runfleet_queue_oldest_seconds{queue="runs",pool="default"}') ?? 0) > 0 ? read : null;
  });
  await waiting.body?.cancel();
  const requests = (code: number): number | null =>
    valueOf(text, `runfleet_http_requests_total{method="GET",route="/v1/agents/{agent_id}",status="${code}"}`);
  expect([requests(200), requests(404)]).toEqual([1, 1]);
  expect(valueOf(text, 'runfleet_http_request_seconds_count{route="/v1/agents/{agent_id}"}')).toBe(2);
  expect(valueOf(text, 'runfleet_queue_depth{queue="runs",pool="default"}')).toBe(1);
  expect(valueOf(text, 'runfleet_queue_depth{queue="callbacks"}')).toBe(0);
  expect(text).not.toContain(agent_id);
});
