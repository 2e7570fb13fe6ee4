import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { answer, openReceiver } from "../harness/receiver.ts";
import { openTestStack, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const waitMs = 60_000;

const stack = await useTestStack();
// 75 hours are 2.7 s.
const { url } = await stack.startService({ worker: { CALLBACK_SCHEDULE_SCALE: "0.00001" } });
const target = await openReceiver();
afterAll(() => target.close());

type Told = { callback: { status: string; attempts: number; last_error: string | null }; data: unknown[] };

async function startRun(source: string, more: Record<string, unknown> = {}): Promise<string> {
  const agent_id = await makeAgent(url, source);
  const body = { agent_id, version: "current", completion_callback_url: `${target.url}/hook`, ...more };
  const response = await execute(url, body);
  await readEvents(response);
  return response.headers.get("x-run-id") ?? "";
}
const callback = async (runId: string) =>
  (await call(url, "GET", `/v1/runs/${runId}/callbacks`)).body as unknown as Told;
const isIn = (runId: string, status: string, attempts: number) =>
  waitFor(async () => {
    const told = await callback(runId);
    return told.callback.status === status && told.callback.attempts === attempts ? told : null;
  }, waitMs);

test("ten failures give a callback up: its owner is told once, its run stands, and it can be sent again under its id", async () => {
  target.react(answer(500));
  const runId = await startRun("def main(i): return {'done': True}");
  const told = await isIn(runId, "exhausted", 10);
  expect(told.callback.last_error).toBe("http_500");
  expect(told.data).toHaveLength(10);
  expect(target.got).toHaveLength(10);
  const notifications = async () => (await call(url, "GET", `/v1/notifications?run_id=${runId}`)).body["data"];
  const notification = { type: "callback.exhausted", level: "warning", user_id: "tester", data: { tries: 10 } };
  expect(await notifications()).toMatchObject([notification]);
  expect((await call(url, "GET", `/v1/runs/${runId}`)).body).toMatchObject({ status: "success" });

  const again = await call(url, "POST", `/v1/runs/${runId}/callbacks/redeliver`);
  expect(again.status).toBe(202);
  await isIn(runId, "exhausted", 11);
  expect(await notifications()).toMatchObject([notification]);
  target.react(answer(204));
  await call(url, "POST", `/v1/runs/${runId}/callbacks/redeliver`);
  await isIn(runId, "delivered", 12);
  // One that was delivered is sent again, too, for a receiver that lost it.
  await call(url, "POST", `/v1/runs/${runId}/callbacks/redeliver`);
  await isIn(runId, "delivered", 13);
  expect(new Set(target.got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(target.got.map(({ text }) => text)).size).toBe(1);
}, 120_000);

test("410 stops a callback at once", async () => {
  target.got.splice(0);
  target.react(answer(410));
  const runId = await startRun("def main(i): return 1");
  expect((await isIn(runId, "exhausted", 1)).callback.last_error).toBe("http_410");
  expect(target.got).toHaveLength(1);
});

test("a callback carries no input, no env var, no file and no state of the run", async () => {
  target.got.splice(0);
  target.react(answer(204));
  const planted = "planted-0123456789";
  await startRun(
    py`
      def main(i, context):
          context.save_state('planted-0123456789')
          return {'done': True}
    `,
    {
      input_payload: { text: planted },
      env_vars: { TOKEN: planted },
      files: { "note.txt": planted },
    },
  );
  await waitFor(() => target.got.length === 1, waitMs);
  expect(target.got[0]?.body).toMatchObject({ type: "run.success", result_content: { done: true } });
  for (const word of [planted, "TOKEN", "note.txt"]) expect(target.got[0]?.text).not.toContain(word);
});

test("a name that leads to a private address is refused when it is connected to, and only `blocked` is told", async () => {
  target.got.splice(0);
  // Accepting doesn't look names up. This stack allows no private network.
  const strict = await openTestStack();
  try {
    await strict.openWorker({ CALLBACK_ALLOW_CIDRS: "", CALLBACK_SCHEDULE_SCALE: "0.00001" });
    const api = (await strict.openApi({ CALLBACK_ALLOW_CIDRS: "" })).url;
    const agent_id = await makeAgent(api, "def main(i): return 1");
    const completion_callback_url = `http://localhost:${new URL(target.url).port}/hook`;
    const response = await execute(api, { agent_id, version: "current", completion_callback_url });
    await readEvents(response);
    const path = `/v1/runs/${response.headers.get("x-run-id")}/callbacks`;
    const told = await waitFor(async () => {
      const body = (await call(api, "GET", path)).body as unknown as Told;
      return body.data.length > 0 ? body : null;
    }, waitMs);
    expect(told.data[0]).toMatchObject({ status_code: null, error: "blocked" });
    expect(target.got).toEqual([]);
  } finally {
    await strict.close();
  }
}, 120_000);
