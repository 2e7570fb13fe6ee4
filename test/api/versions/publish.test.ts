import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const wait = { prefer: "wait=20" };
const source = (n: number) => `def main(i): return {'v': ${n}}`;
const create = (id: string, more: Record<string, unknown>) =>
  call(url, "POST", "/v1/agents", { id, user_id: "author", name: id, ...more });
const publish = (id: string, more: Record<string, unknown>) => call(url, "POST", `/v1/versions/${id}`, more);
const run = async (agent_id: string, version: string) =>
  (await call(url, "POST", "/v1/execute", { agent_id, version }, wait)).body["result_content"];

test("a version left out is named by its content, and the same content changes nothing", async () => {
  const first = await create("content", { config: { source: source(1), env: { A: "1", B: "2" } } });
  expect(first).toMatchObject({ status: 201, body: { version: "1.0.0", current_version: "1.0.0" } });
  const again = await create("content", { config: { env: { B: "2", A: "1" }, source: source(1) } });
  expect(again).toMatchObject({ status: 200, body: { version: "1.0.0" } });
  const next = await create("content", { config: { source: source(2) } });
  expect(next).toMatchObject({ status: 201, body: { current_version: "1.0.0" } });
  const version = String(next.body["version"]);
  expect(version).toMatch(/^1\.0\.0\+[0-9a-f]{8}$/);
  expect(await publish("content", { config: { source: source(2) } })).toMatchObject({ status: 200, body: { version } });
  await publish("content", { version: "1.10.0", config: { source: source(3) } });
  await publish("content", { version: "1.9.0", config: { source: source(4) } });
  await publish("content", { version: "2.0.0-rc1", config: { source: source(5) } });
  const after = await publish("content", { config: { source: source(6) } });
  expect(after.body["version"]).toMatch(/^1\.10\.0\+[0-9a-f]{8}$/);
  // Published under a name: the same content is that version.
  expect((await publish("content", { config: { source: source(4) } })).body["version"]).toBe("1.9.0");
});

test("`current` moves where it is asked, and back by a rollback, past development versions", async () => {
  await create("moving", { config: { source: source(1) } });
  const dev = await publish("moving", { dev: true, config: { source: source(2) } });
  expect(dev).toMatchObject({ status: 201, body: { current: false } });
  expect(dev.body["version"]).toMatch(/^0\.0\.0-dev\.[0-9a-f]{8}$/);
  expect(await run("moving", "latest")).toEqual({ v: 1 });
  const deployed = await publish("moving", { make_current: true, config: { source: source(2) } });
  expect(deployed.body).toMatchObject({ current: true, version: expect.stringMatching(/^1\.0\.0\+/) });
  expect(await run("moving", "current")).toEqual({ v: 2 });
  const other = await create("moving", { make_current: true, config: { source: source(3) } });
  expect(other.body["current_version"]).toBe(other.body["version"]);
  const back = await call(url, "POST", "/v1/rollback", { agent_id: "moving" });
  expect(back.body).toMatchObject({ version: deployed.body["version"], direction: "downgrade", changed: true });
  const forth = await call(url, "POST", "/v1/upgrade", { agent_id: "moving", version: other.body["version"] });
  expect(forth.body).toMatchObject({ direction: "upgrade", changed: true });
  await call(url, "POST", "/v1/rollback", { agent_id: "moving" });
  expect((await call(url, "POST", "/v1/rollback", { agent_id: "moving" })).body).toMatchObject({ version: "1.0.0" });
});

test("a name with a `+` is addressed as it is, in paths and queries, encoded or not", async () => {
  await create("plus", { config: { source: source(1) } });
  const { body } = await publish("plus", { config: { source: source(2) } });
  const version = String(body["version"]);
  for (const name of [version, encodeURIComponent(version)]) {
    expect((await call(url, "GET", `/v1/versions/plus/${name}`)).body["version"]).toBe(version);
    expect((await call(url, "GET", `/v1/versions/plus/1.0.0/diff?against=${name}`)).body).toMatchObject({
      from: version,
      to: "1.0.0",
    });
    const page = await call(url, "GET", `/v1/versions/plus?after=${name}`);
    expect(page.body["data"]).toMatchObject([{ version: "1.0.0" }]);
  }
  expect(await run("plus", version)).toEqual({ v: 2 });
  expect((await call(url, "GET", `/v1/runs?agent_id=plus&version=${version}`)).body["data"]).toHaveLength(1);
  const chat = await call(url, "POST", "/openai/v1/chat/completions", {
    model: `plus@${version}`,
    messages: [{ role: "user", content: "hi" }],
  });
  expect(chat.status).toBe(200);
});

test("many publish the same content at once: one version is made", async () => {
  await create("race", {});
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => publish("race", { config: { source: source(9) }, make_current: true })),
  );
  expect(new Set(answers.map(({ body }) => body["version"])).size).toBe(1);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
  expect((await call(url, "GET", "/v1/agents/race")).body["current_version"]).toBe(answers[0]?.body["version"]);
});

test("an answer to publishing doesn't repeat a long config", async () => {
  const config = { source: `${source(1)}\n# ${"x".repeat(100_000)}` };
  const made = await create("long", { config });
  expect(made.body).not.toHaveProperty("config");
  expect((await call(url, "GET", "/v1/agents/long")).body["config"]).toEqual(config);
  expect((await publish("long", { config: { source: source(2) } })).body["config"]).toEqual({ source: source(2) });
});

test("a version that an earlier release published is known by its content", async () => {
  await create("old", { config: { source: source(1) } });
  await stack.sql.query("UPDATE agent_versions SET content_hash = NULL WHERE agent_id = 'old'");
  expect(await publish("old", { config: { source: source(1) } })).toMatchObject({
    status: 200,
    body: { version: "1.0.0" },
  });
});
