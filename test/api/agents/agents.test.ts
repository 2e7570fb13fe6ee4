import { expect, test } from "vitest";
import { call, execute, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const wait = { prefer: "wait=20" };
const run = (agent_id: string, more: Record<string, unknown> = {}, headers: Record<string, string> = wait) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, headers);
const sleeper = py`
  import time
  def main(input):
      time.sleep(60)
`;

test("agents are listed by page, newest first, and by what they are searched for", async () => {
  const ids: string[] = [];
  for (const name of ["one", "two", "three 50%_"]) {
    const { body } = await call(url, "POST", "/v1/agents", { user_id: "lister", name });
    ids.unshift(String(body["id"]));
  }
  const seen: string[] = [];
  for (let after = ""; ;) {
    const { body } = await call(url, "GET", `/v1/agents?user_id=lister&limit=2${after && `&after=${after}`}`);
    seen.push(...(body["data"] as { id: string }[]).map(({ id }) => id));
    if (!body["has_more"]) break;
    after = String(body["last_id"]);
  }
  expect(seen).toEqual(ids);
  const found = async (query: string) => (await call(url, "GET", `/v1/agents?${query}`)).body["data"];
  expect(await found("search=0%25_&user_id=lister")).toMatchObject([{ name: "three 50%_" }]);
  expect(await found("search=nothing-like-it")).toEqual([]);
  expect(await found("user_id=lister&status=paused")).toEqual([]);
  expect(await found("user_id=lister&order=asc&limit=1")).toMatchObject([{ name: "one" }]);
});

test("a patch merges metadata, null removes a key, concurrent patches are all kept, an unknown agent is a 404", async () => {
  const id = await makeAgent(url, "def main(i): return i");
  const patch = (body: unknown) => call(url, "PATCH", `/v1/agents/${id}`, body);
  await patch({ metadata: { keep: 1, drop: 2, deep: { a: 1 } } });
  const { body } = await patch({ name: "new", metadata: { drop: null, deep: { b: 2 } } });
  expect(body).toMatchObject({ name: "new", metadata: { keep: 1, deep: { a: 1, b: 2 } } });
  expect(body["metadata"]).not.toHaveProperty("drop");
  await Promise.all(Array.from({ length: 8 }, (_, i) => patch({ metadata: { [`k${i}`]: i } })));
  const { body: after } = await call(url, "GET", `/v1/agents/${id}`);
  expect(Object.keys(after["metadata"] as object)).toHaveLength(10);
  expect((await patch({ metadata: null })).body["metadata"]).toEqual({});
  expect((await patch({ name: null })).status).toBe(422);
  expect((await call(url, "PATCH", "/v1/agents/nobody", {})).status).toBe(404);
});

test("an agent goes when its runs have ended; they stay, and its id is free again for its user", async () => {
  const id = await makeAgent(url, sleeper);
  const { body } = await run(id, {}, { prefer: "respond-async" });
  expect(await call(url, "DELETE", `/v1/agents/${id}`)).toMatchObject({ status: 409, body: { code: "agent_in_use" } });
  await call(url, "POST", `/v1/runs/${String(body["id"])}/complete`, {});
  expect((await call(url, "DELETE", `/v1/agents/${id}`)).status).toBe(204);
  expect((await call(url, "GET", `/v1/agents/${id}`)).status).toBe(404);
  expect((await call(url, "DELETE", `/v1/agents/${id}`)).status).toBe(404);
  expect((await call(url, "GET", `/v1/runs/${String(body["id"])}`)).status).toBe(200);
  expect((await call(url, "POST", "/v1/agents", { id, user_id: "other", name: "x" })).body["code"]).toBe(
    "agent_id_taken",
  );
  expect((await call(url, "POST", "/v1/agents", { id, user_id: "tester", name: "x" })).status).toBe(201);
});

test("the id stays its user's also where an API of the version before made the agent, in the upgrade", async () => {
  const id = await makeAgent(url, "def main(i): return {}");
  await stack.sql.query("DELETE FROM agent_owners WHERE agent_id = $1", [id]);
  expect((await call(url, "DELETE", `/v1/agents/${id}`)).status).toBe(204);
  const other = await call(url, "POST", "/v1/agents", { id, user_id: "other", name: "x" });
  expect(other).toMatchObject({ status: 409, body: { code: "agent_id_taken" } });
});

test("a run whose agent goes in the moment of its acceptance still ends", async () => {
  const [id, blocker] = [await makeAgent(url, "def main(i): return {}"), await makeAgent(url, sleeper)];
  const thread_id = `t-${id}`;
  const first = await run(blocker, { thread_id }, { prefer: "respond-async" });
  const second = await run(id, { thread_id }, { prefer: "respond-async" });
  await stack.sql.query("DELETE FROM agents WHERE id = $1", [id]);
  await call(url, "POST", `/v1/runs/${String(first.body["id"])}/complete`, {});
  const ended = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${String(second.body["id"])}`);
    return body["completed_at"] && body;
  });
  expect(ended).toMatchObject({ status: "error", error: { code: "no_entrypoint" } });
});

test("a paused agent refuses runs and begins none that wait; resumed, those go on", async () => {
  const id = await makeAgent(url, "def main(i): return {}");
  const thread_id = `t-${id}`;
  const blocker = await makeAgent(url, sleeper);
  const first = await run(blocker, { thread_id }, { prefer: "respond-async" });
  const waiting = await run(id, { thread_id }, { prefer: "respond-async" });
  await call(url, "POST", `/v1/agents/${id}/pause`);
  expect(await run(id)).toMatchObject({ status: 409, body: { code: "agent_not_active" } });
  await call(url, "POST", `/v1/runs/${String(first.body["id"])}/complete`, {});
  await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${String(waiting.body["id"])}/events`);
    return JSON.stringify(body).includes('"wait_reason":"paused"');
  });
  const status = async () => (await call(url, "GET", `/v1/runs/${String(waiting.body["id"])}`)).body["status"];
  expect(await status()).toBe("queued");
  expect((await call(url, "POST", `/v1/agents/${id}/resume`)).body["status"]).toBe("active");
  await waitFor(async () => (await status()) === "success");
});

test("the kill switch can cancel what runs", async () => {
  const id = await makeAgent(url, sleeper);
  const ids = await Promise.all(
    [1, 2].map(async () => String((await run(id, {}, { prefer: "respond-async" })).body["id"])),
  );
  const { body } = await call(url, "POST", `/v1/agents/${id}/pause`, { cancel_runs: true });
  expect(body).toMatchObject({ status: "paused", cancelled_runs: 2 });
  for (const one of ids)
    await waitFor(async () => (await call(url, "GET", `/v1/runs/${one}`)).body["status"] === "cancelled");
});

test("an agent's runs and figures are its own", async () => {
  const id = await makeAgent(
    url,
    py`
      def main(i):
          if i: raise ValueError()
          return {}
    `,
  );
  for (const input_payload of [{}, {}, { fail: 1 }]) await run(id, { input_payload });
  const { body } = await call(url, "GET", `/v1/agents/${id}/runs?status=success`);
  expect(body["data"]).toHaveLength(2);
  const { body: stats } = await call(url, "GET", `/v1/agents/${id}/stats`);
  expect(stats).toMatchObject({
    runs: 3,
    by_status: { success: 2, error: 1 },
    duration_ms: { p50: expect.any(Number) },
  });
  expect(stats["success_rate"]).toBeCloseTo(2 / 3);
  expect((await call(url, "GET", `/v1/agents/${id}/stats?until=2000-01-01`)).body).toMatchObject({
    runs: 0,
    success_rate: null,
    duration_ms: { p50: null },
  });
});

test("a secret reaches the run by name, is overridden by env_vars, and is found in no store, answer or stream", async () => {
  const source = py`
    import os
    def main(i):
        print(os.environ.get('TOKEN'))
        return {'n': len(os.environ['TOKEN']), 'other': os.environ.get('OTHER'), 't': os.environ['TOKEN']}
  `;
  const id = await makeAgent(url, source, { secrets: ["TOKEN"] });
  const secret = "planted-secret-value-1234567890";
  const put = (name: string, value: string) => call(url, "PUT", `/v1/agents/${id}/secrets/${name}`, { value });
  expect((await put("TOKEN", secret)).body).not.toHaveProperty("value");
  await put("OTHER", "not-asked-for");
  const { body } = await run(id);
  expect(body).toMatchObject({ status: "success", result_content: { n: secret.length, other: null, t: "[redacted]" } });
  expect((await run(id, { env_vars: { TOKEN: "mine" } })).body["result_content"]).toMatchObject({ n: 4 });
  const told = [
    body,
    (await call(url, "GET", `/v1/agents/${id}/secrets`)).body,
    (await call(url, "GET", `/v1/runs/${String(body["id"])}/events`)).body,
  ];
  const { rows: tables } = await stack.sql.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  for (const { name } of tables)
    told.push((await stack.sql.query(`SELECT coalesce(json_agg(t), '[]')::text AS text FROM "${name}" t`)).rows[0]);
  for (const key of await stack.redis.keys(`${stack.prefix}*`))
    if ((await stack.redis.type(key)) === "stream") told.push({ all: await stack.redis.xrange(key, "-", "+") });
  expect(JSON.stringify(told)).not.toContain(secret);
  expect(JSON.stringify(told)).not.toContain(Buffer.from(secret).toString("hex"));
  expect((await put("LD_PRELOAD", "x")).status).toBe(422);
  expect((await call(url, "DELETE", `/v1/agents/${id}/secrets/TOKEN`)).status).toBe(204);
  expect((await call(url, "DELETE", `/v1/agents/${id}/secrets/TOKEN`)).status).toBe(404);
});

test("an input that breaks the input_schema is a 422 that names the place; a result that breaks the output_schema is an error", async () => {
  const id = await makeAgent(url, "def main(i): return {'sum': i['a']}", {
    input_schema: { type: "object", required: ["a"], properties: { a: { type: ["integer", "string"] } } },
    output_schema: { type: "object", properties: { sum: { type: "integer" } } },
  });
  expect(await run(id, { input_payload: { a: [] } })).toMatchObject({
    status: 422,
    body: { detail: [{ type: "value_error", loc: ["body", "input_payload", "a"] }] },
  });
  expect((await run(id)).body).toMatchObject({ detail: [{ type: "missing", loc: ["body", "input_payload", "a"] }] });
  expect((await run(id, { input_payload: { a: 1 } })).body["status"]).toBe("success");
  const bad = await run(id, { input_payload: { a: "x" } });
  expect(bad.body).toMatchObject({
    status: "error",
    error: { code: "output_schema", message: expect.stringContaining("result_content.sum") },
  });
  const refused = await call(url, "POST", "/v1/agents", {
    user_id: "a",
    name: "b",
    config: { input_schema: { type: 7 } },
  });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "config", "input_schema"] }] } });
});

test("files that no run could be given are refused when they are published", async () => {
  const files = {
    "../x": "",
    "a.bin": "data:;base64,aGk",
    "b.yaml": "data:\n  - some, text\n",
    "c.bin": "data:;base64,aGk=",
  };
  expect(await call(url, "POST", "/v1/agents", { user_id: "a", name: "b", config: { files } })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "config", "files", "../x"] }, { loc: ["body", "config", "files", "a.bin"] }] },
  });
});

test("a text that begins with `data:` reaches the agent as it is", async () => {
  const id = await makeAgent(url, "def main(i): return {'read': open('b.yaml').read()}");
  const text = "data:\n  - some, text\n";
  expect((await run(id, { files: { "b.yaml": text } })).body["result_content"]).toEqual({ read: text });
});

test("a network that isn't one is refused with what it may be", async () => {
  const body = { user_id: "a", name: "b", config: { network: "all" } };
  const item = { loc: ["body", "config", "network"], msg: expect.stringContaining("must be `none`, or `allow` with") };
  expect(await call(url, "POST", "/v1/agents", body)).toMatchObject({ status: 422, body: { detail: [item] } });
});

test("a requirement that pip could take for something else is refused at publishing, with its place", async () => {
  const body = { user_id: "a", name: "b", config: { requirements: ["httpx>=0.27", "x\n--index-url=http://x"] } };
  const item = { loc: ["body", "config", "requirements", 1], msg: expect.stringContaining("is no requirement like") };
  expect(await call(url, "POST", "/v1/agents", body)).toMatchObject({ status: 422, body: { detail: [item] } });
});

test("versions: publish, read by name and alias, tag, diff, deprecate, archive", async () => {
  const id = await makeAgent(url, "def main(i): return {'v': 1}");
  const at = `/v1/versions/${id}`;
  const config = { source: "def main(i): return {'v': 2}", env: { A: "1" } };
  expect((await call(url, "POST", at, { version: "2.0.0", config })).status).toBe(201);
  expect((await call(url, "POST", at, { version: "2.0.0", config })).status).toBe(200);
  expect((await call(url, "POST", at, { version: "2.0.0", config: {} })).status).toBe(409);
  const list = await call(url, "GET", `${at}?limit=1`);
  expect(list.body).toMatchObject({ has_more: true, last_id: "2.0.0", data: [{ version: "2.0.0", current: false }] });
  const rest = await call(url, "GET", `${at}?limit=1&after=2.0.0`);
  expect(rest.body).toMatchObject({ has_more: false, data: [{ version: "1.0.0", current: true }] });
  expect((await call(url, "GET", `${at}/latest`)).body["version"]).toBe("2.0.0");
  expect((await call(url, "PUT", `${at}/tags/beta`, { version: "2.0.0" })).body).toMatchObject({ tags: ["beta"] });
  expect((await call(url, "PUT", `${at}/tags/latest`, { version: "2.0.0" })).status).toBe(422);
  expect((await run(id, { version: "beta" })).body["result_content"]).toEqual({ v: 2 });
  expect((await call(url, "GET", `${at}/beta/diff?against=1.0.0`)).body).toMatchObject({
    from: "1.0.0",
    to: "2.0.0",
    changes: [
      { path: ["source"], op: "changed" },
      { path: ["env"], op: "added", after: { A: "1" } },
    ],
  });
  expect((await call(url, "PATCH", `${at}/2.0.0`, { status: "deprecated" })).body["status"]).toBe("deprecated");
  expect((await run(id, { version: "2.0.0" })).status).toBe(200);
  expect((await call(url, "DELETE", `${at}/2.0.0`)).body["status"]).toBe("archived");
  expect(await run(id, { version: "2.0.0" })).toMatchObject({ status: 409, body: { code: "version_archived" } });
  const upgrade = await call(url, "POST", "/v1/upgrade", { agent_id: id, version: "2.0.0" });
  expect(upgrade).toMatchObject({ status: 409, body: { code: "version_archived" } });
  expect(await call(url, "DELETE", `${at}/1.0.0`)).toMatchObject({ status: 409, body: { code: "version_is_current" } });
  expect((await call(url, "DELETE", `${at}/tags/beta`)).status).toBe(204);
  expect((await run(id, { version: "beta" })).status).toBe(404);
});

test("validate answers as execute would, and runs nothing", async () => {
  const id = await makeAgent(url, "def main(i): return {}", { secrets: ["UNSET"] });
  const ask = (body: unknown) => call(url, "POST", "/v1/validate", body);
  expect(await ask({ agent_id: id, version: "latest" })).toMatchObject({
    status: 200,
    body: { valid: true, version: "1.0.0", entrypoint: "main.py", warnings: [{ code: "secret_not_set" }] },
  });
  expect((await ask({ agent_id: "nobody", version: "latest" })).status).toBe(404);
  expect((await ask({ agent_id: id })).status).toBe(422);
  expect((await ask({ agent_id: id, version: "latest", env_vars: { PATH: "x" } })).status).toBe(422);
  expect((await call(url, "GET", `/v1/agents/${id}/runs`)).body["data"]).toEqual([]);
});

test("adapters say which of them can run now", async () => {
  const { body } = await call(url, "GET", "/v1/adapters");
  expect(body["data"]).toEqual(expect.arrayContaining([{ adapter_type: "python", available: true }]));
  expect(body["data"]).toEqual(expect.arrayContaining([{ adapter_type: "container", available: false }]));
});

test("a batch starts each good request and says what is wrong with the others; a repeat makes none", async () => {
  const agent_id = await makeAgent(url, "def main(i): return i");
  const good = { agent_id, version: "current", input_payload: { n: 1 } };
  const body = { requests: [good, { ...good, agent_id: "nobody" }, { ...good, files: { "../x": "" } }, good] };
  const key = { "idempotency-key": "batch" };
  const answer = await call(url, "POST", "/v1/execute/batch", body, key);
  expect(answer).toMatchObject({
    status: 202,
    body: {
      accepted: 2,
      refused: 2,
      data: [
        { index: 0, run_id: expect.any(String), error: null },
        { run_id: null, error: { code: "agent_not_found" } },
        { run_id: null, error: { code: "validation_error", detail: [{ loc: ["body", "files", "../x"] }] } },
        { index: 3, run_id: expect.any(String) },
      ],
    },
  });
  expect((await call(url, "POST", "/v1/execute/batch", body, key)).body).toEqual(answer.body);
  await stack.sql.query("DELETE FROM idempotency_keys WHERE key = 'batch' AND route NOT LIKE 'execute-batch/%'");
  expect((await call(url, "POST", "/v1/execute/batch", body, key)).body).toEqual(answer.body);
  await waitFor(async () => {
    const { body: list } = await call(url, "GET", `/v1/agents/${agent_id}/runs?status=success`);
    return (list["data"] as unknown[]).length === 2;
  });
  const wrong = await call(url, "POST", "/v1/execute/batch", { requests: [good, { version: "1" }] });
  expect(wrong).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "requests", 1, "agent_id"] }] } });
  expect((await call(url, "POST", "/v1/execute/batch", { requests: [] })).status).toBe(422);
  const tooMany = { requests: Array.from({ length: 101 }, () => good) };
  expect((await call(url, "POST", "/v1/execute/batch", tooMany)).status).toBe(422);
});

test("runs are found by a text in their ids, input, result or error", async () => {
  const agent_id = await makeAgent(url, "def main(i): return {'said': 'Result-%s' % i['w']}");
  for (const w of ["needle", "straw"]) await run(agent_id, { input_payload: { w } });
  const found = async (text: string) =>
    ((await call(url, "GET", `/v1/runs?agent_id=${agent_id}&search=${text}`)).body["data"] as unknown[]).length;
  expect([await found("NEEDLE"), await found("result-"), await found("100%25"), await found("nowhere")]).toEqual([
    1, 2, 0, 0,
  ]);
  expect((await execute(url, { agent_id, version: "current" })).status).toBe(200);
});
