import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const wait = { prefer: "wait=20" };
const run = async (agent_id: string, more: Record<string, unknown> = {}) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, wait);
const echo = py`
  def main(input):
      return input
`;
const nodeSource = "export default function main(input) { return { node: true }; }";
const makeNodeAgent = () => makeAgent(url, nodeSource, { adapter_type: "node", entrypoint: "main.mjs" });

test("the specification's default adapter_type means the same as none; another one than the version's is refused", async () => {
  const node = await makeNodeAgent();
  const command = await makeAgent(url, "", { adapter_type: "command", command: ["echo", "hi"] });
  for (const adapter_type of ["python", undefined]) {
    expect(await run(node, { adapter_type })).toMatchObject({ body: { status: "success", adapter_type: "node" } });
    expect(await run(command, { adapter_type })).toMatchObject({ body: { status: "success" } });
  }
  expect((await run(command, { adapter_type: "process" })).body["status"]).toBe("success");
  const mismatch = { status: 422, body: { detail: [{ type: "adapter_mismatch", loc: ["body", "adapter_type"] }] } };
  const python = await makeAgent(url, echo, { adapter_type: "python" });
  for (const [agent_id, adapter_type] of [
    [node, "langgraph"],
    [node, "command"],
    [python, "node"],
  ] as const) {
    const request = { agent_id, version: "current", adapter_type };
    expect(await run(agent_id, { adapter_type })).toMatchObject(mismatch);
    expect(await call(url, "POST", "/v1/validate", request)).toMatchObject(mismatch);
    expect(await call(url, "POST", "/v1/jobs", { ...request, schedule: "@daily" })).toMatchObject(mismatch);
  }
  expect((await run(python, { adapter_type: "crewai" })).body["status"]).toBe("success");
  // A config without an adapter leaves the choice to the request.
  const open = await makeAgent(url, nodeSource, { entrypoint: "main.mjs" });
  expect((await run(open, { adapter_type: "node" })).body["status"]).toBe("success");
});

test("a run is run again under a version with another adapter", async () => {
  const agent_id = await makeAgent(url, nodeSource, { adapter_type: "node", entrypoint: "main.mjs" });
  const { body: first } = await run(agent_id);
  await call(url, "POST", `/v1/versions/${agent_id}`, {
    version: "2.0.0",
    config: { source: echo, adapter_type: "python" },
  });
  const again = await call(url, "POST", `/v1/runs/${String(first["id"])}/replay`, { version: "2.0.0" }, wait);
  expect(again.body).toMatchObject({ adapter_type: "python" });
});

test("a name means one thing: aliases and tags can't be published, versions can't be tags, an upgrade goes where the name points", async () => {
  const agent_id = await makeAgent(url, echo);
  const upgrade = (version: string) => call(url, "POST", "/v1/upgrade", { agent_id, version });
  const publish = (version: string, config = { source: "def main(input): return {'new': 1}" }) =>
    call(url, "POST", `/v1/versions/${agent_id}`, { version, config });
  const tag = (name: string, version: string) => call(url, "PUT", `/v1/versions/${agent_id}/tags/${name}`, { version });
  expect((await publish("1.1.0")).status).toBe(201);
  expect((await tag("prod", "1.1.0")).status).toBe(200);

  expect(await upgrade("prod")).toMatchObject({
    status: 200,
    body: { version: "1.1.0", created: false, changed: true },
  });
  expect((await run(agent_id, { version: "prod" })).body).toMatchObject({
    version: "1.1.0",
    result_content: { new: 1 },
  });
  expect(await upgrade("current")).toMatchObject({ body: { version: "1.1.0", created: false, changed: false } });
  expect((await publish("1.2.0")).status).toBe(201);
  expect(await upgrade("latest")).toMatchObject({ body: { version: "1.2.0", created: false } });
  expect(await call(url, "POST", "/v1/rollback", { agent_id, version: "prod" })).toMatchObject({
    body: { version: "1.1.0" },
  });

  for (const name of ["current", "latest"]) {
    expect(await publish(name)).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "version"] }] } });
    const agent = { user_id: "tester", name: "x", version: name };
    expect(await call(url, "POST", "/v1/agents", agent)).toMatchObject({ status: 422 });
    expect(await tag(name, "1.1.0")).toMatchObject({ status: 422, body: { detail: [{ loc: ["path", "tag"] }] } });
  }
  const taken = { status: 409, body: { code: "version_name_taken" } };
  expect(await publish("prod")).toMatchObject(taken);
  const again = { user_id: "tester", name: "agent", id: agent_id, version: "prod", config: {} };
  expect(await call(url, "POST", "/v1/agents", again)).toMatchObject(taken);
  expect(await tag("1.1.0", "1.2.0")).toMatchObject(taken);
  const { body } = await call(url, "GET", `/v1/versions/${agent_id}`);
  expect((body["data"] as { version: string }[]).map(({ version }) => version).toSorted()).toEqual([
    "1.0.0",
    "1.1.0",
    "1.2.0",
  ]);
});

test("of a version and a tag that are made with one name at once, one is refused", async () => {
  const agent_id = await makeAgent(url, echo);
  for (let round = 0; round < 8; round += 1) {
    const name = `n${round}`;
    const [published, tagged] = await Promise.all([
      call(url, "POST", `/v1/versions/${agent_id}`, { version: name, config: {} }),
      call(url, "PUT", `/v1/versions/${agent_id}/tags/${name}`, { version: "1.0.0" }),
    ]);
    expect([published.status, tagged.status].filter((status) => status === 409)).toHaveLength(1);
  }
});
