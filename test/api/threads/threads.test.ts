import { expect, test } from "vitest";
import { answerRun, call, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

/** Counts its runs in the thread's state, and says what it was given. */
const counter = py`
  import runfleet
  def main(input):
      count = int(runfleet.context.state_snapshot or "0") + 1
      runfleet.save_state(str(count))
      return {"count": count, "heard": len(runfleet.context.history)}
`;
const sleeper = py`
  import time
  def main(input):
      time.sleep(60)
`;
type Item = { id: string; [field: string]: unknown };

const get = async (path: string) => (await call(url, "GET", `/v1/threads${path}`)).body;
const list = async (path: string) => (await get(path))["data"] as Item[];
const create = (body: Record<string, unknown> = {}) => call(url, "POST", "/v1/threads", body);
const say = async (agent_id: string, thread_id: string, prefer = "wait=20") => {
  const request = { agent_id, version: "current", thread_id, input_payload: { n: 1 } };
  return (await call(url, "POST", "/v1/execute", request, { prefer })).body as Item;
};

test("a thread is made, found, changed and deleted", async () => {
  const made = await create({
    thread_id: "th-1",
    user_id: "lister",
    title: "50%_ off",
    metadata: { a: 1, b: { c: 1 } },
  });
  expect(made).toMatchObject({
    status: 201,
    body: { id: "th-1", thread_id: "th-1", object: "thread", user_id: "lister", status: "idle", forked_from: null },
  });
  expect(await create({ thread_id: "th-1" })).toMatchObject({ status: 409, body: { code: "thread_exists" } });
  expect(await create({ thread_id: "th-1", if_exists: "do_nothing", title: "other" })).toMatchObject({
    status: 200,
    body: { title: "50%_ off" },
  });
  expect((await create()).body["id"]).toMatch(/^thread_/);
  const patched = await call(url, "PATCH", "/v1/threads/th-1", { title: null, metadata: { a: null, b: { d: 2 } } });
  expect(patched.body).toMatchObject({ title: null, metadata: { b: { c: 1, d: 2 } } });
  expect(patched.body["metadata"]).not.toHaveProperty("a");
  expect((await call(url, "DELETE", "/v1/threads/th-1")).status).toBe(204);
  for (const path of ["", "/runs", "/messages", "/state", "/history"])
    expect((await call(url, "GET", `/v1/threads/th-1${path}`)).status).toBe(404);
  expect((await call(url, "DELETE", "/v1/threads/th-1")).status).toBe(404);
  expect((await create({ agent_id: "nobody" })).body["code"]).toBe("agent_not_found");
  expect((await create({ thread_id: "not an id" })).status).toBe(422);
});

test("threads are listed by page, newest first, and by what they are searched for", async () => {
  const ids: string[] = [];
  for (const title of ["one", "two", "three 50%_"])
    ids.unshift(String((await create({ user_id: "pager", title })).body["id"]));
  const first = await get("?user_id=pager&limit=2");
  expect((first["data"] as Item[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first["has_more"]).toBe(true);
  expect((await list(`?user_id=pager&after=${String(first["last_id"])}`)).map(({ id }) => id)).toEqual(ids.slice(2));
  expect(await list("?user_id=pager&search=0%25_")).toMatchObject([{ title: "three 50%_" }]);
  expect(await list("?user_id=pager&agent_id=nobody")).toEqual([]);
});

test("a thread's messages and state flow into its next run; its history has each run's state, newest first", async () => {
  const agent = await makeAgent(url, counter);
  const thread_id = `th-${agent}`;
  const runs = [await say(agent, thread_id), await say(agent, thread_id)];
  expect(runs).toMatchObject([{ result_content: { count: 1, heard: 0 } }, { result_content: { count: 2, heard: 2 } }]);
  expect(await get(`/${thread_id}`)).toMatchObject({ agent_id: agent, status: "idle" });
  expect(await get(`/${thread_id}/state`)).toMatchObject({ object: "thread_state", thread_id, state_snapshot: "2" });
  const newestFirst = runs.map(({ id }) => id).toReversed();
  expect((await list(`/${thread_id}/runs`)).map(({ id }) => id)).toEqual(newestFirst);
  expect(await list(`/${thread_id}/history`)).toMatchObject([
    { run_id: newestFirst[0], status: "success", state_snapshot: "2" },
    { run_id: newestFirst[1], status: "success", state_snapshot: "1" },
  ]);
  expect(await list(`/${thread_id}/history?limit=1&order=asc`)).toMatchObject([{ state_snapshot: "1" }]);
  const said = await list(`/${thread_id}/messages?order=asc`);
  expect(said).toMatchObject([
    { role: "user", content: { n: 1 }, run_id: runs[0]?.id },
    { role: "assistant", content: { count: 1 } },
    { role: "user" },
    { role: "assistant", content: { count: 2 } },
  ]);
  const page = await get(`/${thread_id}/messages?limit=3`);
  expect(page["has_more"]).toBe(true);
  expect(await list(`/${thread_id}/messages?limit=3&after=${String(page["last_id"])}`)).toEqual(said.slice(0, 1));
  expect((await call(url, "GET", `/v1/threads/${thread_id}/messages?after=x`)).status).toBe(422);
});

test("the state that is set is what the next run begins with; while a run has it, it can't be set", async () => {
  const agent = await makeAgent(url, counter);
  const { body: thread } = await create({ state_snapshot: "10" });
  const id = String(thread["id"]);
  expect((await say(agent, id)).result_content).toMatchObject({ count: 11 });
  const set = (state_snapshot: unknown) => call(url, "POST", `/v1/threads/${id}/state`, { state_snapshot });
  expect(await set("40")).toMatchObject({ status: 200, body: { state_snapshot: "40" } });
  expect((await say(agent, id)).result_content).toMatchObject({ count: 41 });
  expect((await set(null)).body["state_snapshot"]).toBeNull();
  expect((await set("ü".repeat(600_000))).body["detail"]).toMatchObject([{ loc: ["body", "state_snapshot"] }]);
  expect((await set(1)).status).toBe(422);
  const run = await say(await makeAgent(url, sleeper), id, "respond-async");
  expect(await set("1")).toMatchObject({ status: 409, body: { code: "thread_busy" } });
  await call(url, "POST", `/v1/runs/${run.id}/complete`, {});
  expect((await set("1")).status).toBe(200);
});

test("a run that waits for an answer goes on with the state that was set meanwhile", async () => {
  const asker = py`
    import runfleet
    def main(i):
        runfleet.interrupt('go on?')
        return {"state": runfleet.context.state_snapshot}
  `;
  const { body: thread } = await create({ state_snapshot: "before" });
  const id = String(thread["id"]);
  const run = await say(await makeAgent(url, asker), id, "respond-async");
  const read = async () => (await call(url, "GET", `/v1/runs/${run.id}`)).body;
  await waitFor(async () => (await read())["status"] === "interrupted");
  const set = await call(url, "POST", `/v1/threads/${id}/state`, { state_snapshot: "meanwhile" });
  expect(set).toMatchObject({ status: 200, body: { state_snapshot: "meanwhile" } });
  await answerRun(url, run.id, { response: "yes" });
  await waitFor(async () => (await read())["status"] === "success");
  expect((await read())["result_content"]).toEqual({ state: "meanwhile" });
});

test("a thread with a run that has not ended can't be deleted; deleted, its runs stay, and are none of its successor's", async () => {
  const agent = await makeAgent(url, sleeper);
  const thread_id = `th-${agent}`;
  const run = await say(agent, thread_id, "respond-async");
  expect((await get(`/${thread_id}`))["status"]).toBe("busy");
  expect(await call(url, "DELETE", `/v1/threads/${thread_id}`)).toMatchObject({
    status: 409,
    body: { code: "thread_busy" },
  });
  await call(url, "POST", `/v1/runs/${run.id}/complete`, { status: "error" });
  expect((await get(`/${thread_id}`))["status"]).toBe("error");
  expect((await call(url, "DELETE", `/v1/threads/${thread_id}`)).status).toBe(204);
  expect((await call(url, "GET", `/v1/runs/${run.id}`)).body["thread_id"]).toBe(thread_id);
  await create({ thread_id });
  expect(await get(`/${thread_id}`)).toMatchObject({ status: "idle" });
  expect(await list(`/${thread_id}/runs`)).toEqual([]);
  expect(await list(`/${thread_id}/history`)).toEqual([]);
});

test("a run that joins a thread in the moment of its deletion finds it whole, or a new one", async () => {
  // It ends when the deletion was answered, not before: then its thread might be gone for good reason.
  const agent = await makeAgent(
    url,
    py`
      import runfleet
      def main(i):
          runfleet.interrupt('go on?')
          return {}
    `,
  );
  for (let round = 0; round < 10; round++) {
    const thread_id = String((await create()).body["id"]);
    const [run] = await Promise.all([
      say(agent, thread_id, "respond-async"),
      call(url, "DELETE", `/v1/threads/${thread_id}`),
    ]);
    const status = async () => (await call(url, "GET", `/v1/runs/${run.id}`)).body["status"];
    await waitFor(async () => (await status()) === "interrupted", 20_000);
    expect((await answerRun(url, run.id, { response: "yes" })).status).toBe(202);
    await waitFor(async () => (await status()) === "success", 20_000);
    expect((await list(`/${thread_id}/messages`)).length).toBe(2);
  }
});

test("a fork has what stood when a run had ended, and goes its own way", async () => {
  const agent = await makeAgent(url, counter);
  const { body: thread } = await create({ title: "origin", metadata: { a: 1 } });
  const id = String(thread["id"]);
  const runs = [await say(agent, id), await say(agent, id), await say(agent, id)];
  const fork = (body: unknown, from = id) => call(url, "POST", `/v1/threads/${from}/fork`, body);
  const { status, body: half } = await fork({ run_id: runs[1]?.id, title: "what if" });
  expect([status, half]).toMatchObject([
    201,
    { forked_from: id, title: "what if", metadata: { a: 1 }, status: "idle" },
  ]);
  const halfId = String(half["id"]);
  expect((await get(`/${halfId}/state`))["state_snapshot"]).toBe("2");
  expect(await list(`/${halfId}/messages`)).toHaveLength(4);
  expect((await say(agent, halfId)).result_content).toEqual({ count: 3, heard: 4 });
  expect((await get(`/${id}/state`))["state_snapshot"]).toBe("3");

  const { body: whole } = await fork({ thread_id: `copy-of-${id}` });
  expect(whole).toMatchObject({ id: `copy-of-${id}`, title: "origin" });
  expect((await get(`/copy-of-${id}/state`))["state_snapshot"]).toBe("3");
  expect((await list(`/copy-of-${id}/messages`)).map(({ content }) => content)).toEqual(
    (await list(`/${id}/messages`)).map(({ content }) => content),
  );
  // A fork of a fork keeps the state that it was born with, where its run left none.
  const quiet = await say(await makeAgent(url, "def main(i): return {}"), `copy-of-${id}`);
  const { body: again } = await fork({ run_id: quiet.id }, `copy-of-${id}`);
  expect((await get(`/${String(again["id"])}/state`))["state_snapshot"]).toBe("3");

  expect(await fork({ thread_id: id })).toMatchObject({ status: 409, body: { code: "thread_exists" } });
  expect(await fork({ run_id: quiet.id })).toMatchObject({ status: 404, body: { code: "run_not_found" } });
  expect((await fork({}, "nobody")).body["code"]).toBe("thread_not_found");
  const open = await say(await makeAgent(url, sleeper), id, "respond-async");
  expect(await fork({ run_id: open.id })).toMatchObject({ status: 409, body: { code: "run_not_ended" } });
});
