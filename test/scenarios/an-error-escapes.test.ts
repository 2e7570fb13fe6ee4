import { once } from "node:events";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const env = { NODE_OPTIONS: `--import ${resolve("test/harness/preload/throw-outside.mjs")}` };

const stack = await useTestStack();

const slow = py`
  import time
  def main(input):
      yield 'up'
      time.sleep(input.get('s', 1))
      return 'done'
`;
const uncaught = async (url: string): Promise<number> =>
  Number(/^runfleet_uncaught_errors (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? -1);

test("an error that nothing catches ends neither a worker nor an API, nor a run or a stream of theirs", async () => {
  const api = await stack.start("api", env);
  const worker = await stack.start("worker", env);
  const agent_id = await makeAgent(api.url, slow);
  const answer = await execute(api.url, { agent_id, version: "current", input_payload: { s: 1.5 } });
  await waitFor(async () => (await stack.sql.query("SELECT 1 FROM runs WHERE status = 'running'")).rowCount, 20_000);

  expect(await uncaught(api.url)).toBe(0);
  worker.child.kill("SIGUSR2");
  api.child.kill("SIGUSR2");
  await waitFor(async () => (await uncaught(api.url)) === 2, 5_000);
  await waitFor(() => worker.logged().includes('"faults":2'), 5_000);

  const events = await readEvents(answer);
  expect(events.at(-1)).toMatchObject({ event: "run.success", data: { attempt: 1 } });
  expect([api.child.exitCode, worker.child.exitCode]).toEqual([null, null]);
  expect(worker.logged()).toMatch(/"origin":"exception".*thrown where nothing catches it.*throw-outside\.mjs/);
  await api.stop();
  await worker.stop();
}, 60_000);

test("a worker or an API in which errors never end leaves in order, with a code to be started again, and costs no run an attempt", async () => {
  const api = await stack.start("api");
  const broken = await stack.start("worker", { ...env, SHUTDOWN_GRACE_MS: "500" });
  const agent_id = await makeAgent(api.url, slow);
  const { body } = await call(
    api.url,
    "POST",
    "/v1/execute",
    { agent_id, version: "current", input_payload: { s: 4 } },
    { prefer: "respond-async" },
  );
  await waitFor(async () => (await stack.sql.query("SELECT 1 FROM runs WHERE status = 'running'")).rowCount, 20_000);
  const gone = once(broken.child, "exit");
  broken.child.kill("SIGWINCH");
  expect(await gone).toEqual([75, null]);
  await stack.start("worker");
  const run = async () =>
    (await stack.sql.query("SELECT status, lost_attempts FROM runs WHERE id = $1", [body["id"]])).rows[0];
  await waitFor(async () => (await run())?.status === "success", 30_000);
  expect(await run()).toMatchObject({ lost_attempts: 0 });

  const other = await stack.start("api", env);
  const left = once(other.child, "exit");
  other.child.kill("SIGWINCH");
  expect(await left).toEqual([75, null]);
}, 90_000);

test("a run whose secret this worker can't open ends, and says so in the log; it holds no slot", async () => {
  const api = await stack.start("api");
  const other = { ENCRYPTION_KEYS: `k2:${Buffer.alloc(32, 7).toString("base64")}` };
  const worker = await stack.start("worker", { ...other, WORKER_POOL: "other-keys" });
  const agent_id = await makeAgent(api.url, slow, { secrets: ["TOKEN"], pool: "other-keys" });
  await call(api.url, "PUT", `/v1/agents/${agent_id}/secrets/TOKEN`, { value: "s3cret-value" });
  const request = { agent_id, version: "current", input_payload: {} };
  const events = await readEvents(await execute(api.url, request));
  expect(events.at(-1)).toMatchObject({ event: "run.error", data: { error: { code: "worker_fault" } } });
  expect(worker.logged()).toContain("names a key that the ring doesn't hold");
  await worker.stop();
  await api.stop();
}, 60_000);
