import { randomBytes } from "node:crypto";
import { Client } from "@langchain/langgraph-sdk";
import { expect, test } from "vitest";
import { langgraph } from "../../api/protocols/langgraph/langgraph.ts";
import { scopes } from "../../shared/schemas/scope.ts";
import { call } from "../harness/client.ts";
import { waitFor } from "../harness/wait-for.ts";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { makeKey } from "../harness/make-key.ts";
import { useTestStack } from "../harness/test-stack.ts";

const admin = randomBytes(32).toString("hex");
const stack = await useTestStack();
const { url } = await stack.startService({
  api: { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, RATE_LIMIT_PER_MINUTE: "0", AGENT_QUEUE_LIMIT: "1" },
});

const clientOf = (apiKey: string) =>
  new Client({ apiUrl: `${url}/langgraph`, apiKey, callerOptions: { maxRetries: 0 } });

const [ada, bob] = [await makeKey(stack, "ada"), await makeKey(stack, "bob")];
const source =
  "import time\ndef main(input):\n    yield 'hi'\n    time.sleep(60 if input.get('wait') else 0)\n    return {}\n";
const agent = await call(
  url,
  "POST",
  "/v1/agents",
  { user_id: "ada", name: "a", config: { source, concurrency: 1 } },
  { authorization: `Bearer ${ada}` },
);
const agent_id = String(agent.body["id"]);
const { runs, threads, crons, store } = clientOf(ada);
const { thread_id } = await threads.create({ metadata: { of: "ada" } });
const { run_id } = await runs.create(thread_id, agent_id, { input: {} });
const { cron_id } = await crons.create(agent_id, { schedule: "0 8 * * *", input: {} });
await runs.join(thread_id, run_id);
await store.putItem(["a"], "k", { secret: true });

test("the client's key is the user's; a wrong one is a 401 with LangGraph's detail", async () => {
  expect(await threads.search({ metadata: { of: "ada" } })).toMatchObject([{ thread_id }]);
  const wrong = clientOf(newCredential("key").text);
  await expect(wrong.assistants.search()).rejects.toThrow(/HTTP 401: .*"detail"/);
  await expect(wrong.runs.stream(thread_id, agent_id).next()).rejects.toMatchObject({ status: 401 });
});

const pathOf = (path: string, ids: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "x");
const ids = { agent_id, thread_id, run_id, job_id: cron_id, checkpoint_id: run_id, namespace: "x" };
/** How routes are asked whose path alone doesn't say it. */
const bodies: Record<string, unknown> = {
  stream_run: { assistant_id: agent_id },
  wait_for_run: { assistant_id: agent_id },
  create_run: { assistant_id: agent_id },
  create_runs: [{ assistant_id: agent_id }],
  create_cron: { assistant_id: agent_id, schedule: "@yearly" },
  set_latest_assistant_version: { version: 1 },
  put_store_item: { namespace: ["a"], key: "k", value: {} },
  delete_store_item: { namespace: ["a"], key: "k" },
};

test.each(
  langgraph.operations
    .filter(({ scope }) => scope !== "public")
    .map((route) => [`${route.method} ${route.path}`, route] as const),
)(
  "%s needs a key and its scope, and shows nothing of another owner's",
  async (_name, { method, path, name, scope }) => {
    const ask = async (key: string | null) => {
      const query = name === "get_store_item" ? "?namespace=a&key=k" : "";
      const body = method === "get" ? null : JSON.stringify(bodies[name] ?? {});
      const response = await fetch(`${url}${pathOf(path, ids)}${query}`, {
        method: method.toUpperCase(),
        headers: { "content-type": "application/json", ...(key !== null && { "x-api-key": key }) },
        ...(body !== null && { body }),
      });
      return { status: response.status, text: await response.text() };
    };
    expect((await ask(null)).status).toBe(401);
    const others = scopes.filter((one) => one !== scope && one !== "admin" && one !== "*");
    expect((await ask(await makeKey(stack, "ada", others))).status).toBe(403);
    const foreign = await ask(bob);
    const isOwn =
      path.startsWith("/langgraph/store") || /\/(search|count)$/.test(path) || path === "/langgraph/threads";
    expect(foreign).toMatchObject({
      status: expect.toSatisfy((status: number) => (isOwn ? status < 300 : status === 404)),
    });
    for (const id of [agent_id, run_id, cron_id, "secret", ...(isOwn ? [thread_id] : [])])
      if (foreign.status < 300) expect(foreign.text).not.toContain(id);
  },
);

test("a key that may only read a run can't have it cancelled by leaving its stream", async () => {
  const { run_id: id } = await runs.create(null, agent_id, { input: { wait: true } });
  const reader = clientOf(await makeKey(stack, "ada", ["runs:read"]));
  const stream = reader.runs.joinStream(null, id, { cancelOnDisconnect: true });
  await expect(stream.next()).rejects.toMatchObject({ status: 403, message: expect.stringContaining("missing_scope") });
  const stop = new AbortController();
  const writer = clientOf(await makeKey(stack, "ada", ["runs:read", "runs:write"]));
  const left = writer.runs.joinStream(null, id, { cancelOnDisconnect: true, signal: stop.signal });
  await left.next();
  stop.abort();
  await waitFor(
    async () =>
      (await call(url, "GET", `/v1/runs/${id}`, undefined, { "x-api-key": ada })).body["status"] === "cancelled",
  );
});

test("a full queue is a 429 that says so, and takes the next run when there is room", async () => {
  // The queue's length is counted once a second: it may still have a run of an earlier test.
  const busy = await waitFor(() => runs.create(null, agent_id, { input: { wait: true } }).catch(() => null));
  const status = async (id: string) =>
    (await call(url, "GET", `/v1/runs/${id}`, undefined, { "x-api-key": ada })).body["status"];
  await waitFor(async () => (await status(busy.run_id)) === "running");
  const create = () =>
    runs.create(null, agent_id, { input: {} }).catch((error: unknown) => error as { status: number; message: string });
  const waiting = await waitFor(async () => {
    const answer = await create();
    return "run_id" in answer ? answer : null;
  });
  const refused = await waitFor(async () => {
    const answer = await create();
    return "run_id" in answer ? null : answer;
  });
  expect(refused).toMatchObject({ status: 429, message: expect.stringContaining("agent_queue_full") });
  await expect(runs.stream(null, agent_id, { input: {} }).next()).rejects.toMatchObject({ status: 429 });
  await call(url, "POST", `/v1/runs/${busy.run_id}/cancel`, undefined, { "x-api-key": ada });
  await waitFor(async () => (await status(waiting.run_id)) === "success");
  const turn = await waitFor(() => runs.wait(null, agent_id, { input: {} }).catch(() => null));
  expect(turn).toMatchObject({ messages: [{ type: "ai", content: "hi" }] });
});

test("an API that leaves breaks a stream off, so that the client goes on at another one", async () => {
  const other = await stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin });
  let isGone = false;
  const fetching: typeof fetch = (to, init) =>
    fetch(isGone && typeof to === "string" ? to.replace(other.url, url) : to, init);
  const client = new Client({
    apiUrl: `${other.url}/langgraph`,
    apiKey: ada,
    callerOptions: { maxRetries: 0, fetch: fetching },
  });
  const stream = client.runs.stream(null, agent_id, { input: { wait: true }, streamMode: "messages-tuple" });
  const events: { event: string; data: unknown }[] = [];
  for await (const event of stream) {
    events.push(event);
    if (event.event !== "messages" || isGone) continue;
    isGone = true;
    await other.close();
    const { run_id: id = "" } = { ...(events[0]?.data as { run_id?: string } | undefined) };
    await call(url, "POST", `/v1/runs/${id}/cancel`, undefined, { "x-api-key": ada });
  }
  expect(events.map(({ event }) => event)).toEqual(["metadata", "messages", "error"]);
});
