import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const sleeper = py`
  import time
  def main(input):
      time.sleep(60)
`;

const stack = await useTestStack();
const { url } = await stack.startService();

const start = (agent_id: string, thread_id: string, more: Record<string, unknown> = {}) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", thread_id, ...more }, { prefer: "respond-async" });
const times = <T>(n: number, act: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => act(i)));
const statusOf = async (id: string) => (await call(url, "GET", `/v1/runs/${id}`)).body["status"];
const newThread = () => `t-${randomBytes(6).toString("hex")}`;

test("reject: of 20 runs that ask for a new thread at once one is taken, the others are told 409; then it is free again", async () => {
  const agent = await makeAgent(url, sleeper, { multitask_strategy: "reject" });
  const thread_id = newThread();
  const answers = await times(20, () => start(agent, thread_id));
  const taken = answers.filter(({ status }) => status === 202);
  expect(taken).toHaveLength(1);
  for (const answer of answers)
    if (answer !== taken[0]) expect(answer).toMatchObject({ status: 409, body: { code: "thread_busy" } });
  await call(url, "POST", `/v1/runs/${String(taken[0]?.body["id"])}/complete`, {});
  expect((await start(agent, thread_id)).status).toBe(202);
});

test("reject: a repeat of the very request that keeps the thread busy attaches to its run", async () => {
  const agent = await makeAgent(url, sleeper, { multitask_strategy: "reject" });
  const [thread_id, run_id] = [newThread(), `run-${newThread()}`];
  const answers = await times(5, () => start(agent, thread_id, { run_id }));
  expect(answers.map(({ status, body }) => [status, body["id"]])).toEqual(answers.map(() => [202, run_id]));
});

test("interrupt: of 8 runs that ask at once the last one goes on, those before it are cancelled", async () => {
  const agent = await makeAgent(url, sleeper, { multitask_strategy: "interrupt" });
  const thread_id = newThread();
  const first = String((await start(agent, thread_id)).body["id"]);
  await waitFor(async () => (await statusOf(first)) === "running");
  const ids = (await times(8, () => start(agent, thread_id))).map(({ body }) => String(body["id"]));
  const statuses = () => Promise.all([first, ...ids].map(statusOf));
  const settled = await waitFor(async () => {
    const now = await statuses();
    return now.filter((status) => status === "cancelled").length === 8 && now.includes("running") ? now : null;
  }, 30_000);
  expect(settled[0]).toBe("cancelled");
});

test("enqueue: runs of a thread go one at a time, in the order in which they were taken", async () => {
  const agent = await makeAgent(
    url,
    py`
      import time
      def main(input):
          time.sleep(0.05)
          return {}
    `,
  );
  const thread_id = newThread();
  await times(6, () => start(agent, thread_id));
  const runs = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs?thread_id=${thread_id}&order=asc`);
    const data = body["data"] as { status: string; started_at: string; completed_at: string }[];
    return data.length === 6 && data.every(({ status }) => status === "success") ? data : null;
  }, 30_000);
  for (const [i, run] of runs.entries()) expect(run.started_at >= (runs[i - 1]?.completed_at ?? "")).toBe(true);
});

test("of two owners who name the same new thread at the same instant one gets it, the other a 404", async () => {
  const closed = await stack.openApi({ AUTH_MODE: "key", RATE_LIMIT_PER_MINUTE: "0" });
  const owners = await times(2, async (i) => {
    const user_id = `owner-${i}`;
    const { id, text, secret_hash } = newCredential("key");
    await stack.sql.query("INSERT INTO users (id) VALUES ($1)", [user_id]);
    await stack.sql.query("INSERT INTO api_keys (id, user_id, secret_hash, scopes) VALUES ($1, $2, $3, '{*}')", [
      id,
      user_id,
      secret_hash,
    ]);
    const headers = { authorization: `Bearer ${text}`, prefer: "respond-async" };
    const config = { source: "def main(i): return {}", multitask_strategy: i === 0 ? "reject" : "enqueue" };
    const agent = await call(closed.url, "POST", "/v1/agents", { user_id, name: "a", config }, headers);
    return { agent_id: String(agent.body["id"]), headers };
  });
  for (let round = 0; round < 10; round++) {
    const thread_id = newThread();
    const answers = await Promise.all(
      owners.map(({ agent_id, headers }) =>
        call(closed.url, "POST", "/v1/execute", { agent_id, version: "current", thread_id }, headers),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 404]);
    const { rows } = await stack.sql.query("SELECT user_id FROM runs WHERE thread_id = $1", [thread_id]);
    const { rows: threads } = await stack.sql.query("SELECT user_id FROM threads WHERE id = $1", [thread_id]);
    expect(rows).toEqual(threads);
  }
});
