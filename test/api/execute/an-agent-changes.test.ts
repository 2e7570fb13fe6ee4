import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

/** An agent is changed at one API process; the other one has run it before and remembers it. */

const stack = await useTestStack();
const [{ url: here }, { url: there }] = await Promise.all([stack.startService(), stack.openApi()]);

const config = { source: "def main(input): return {}" };
const versions = (agent: string) => `/v1/versions/${agent}`;
const run = (agent_id: string, version = "current", more: Record<string, unknown> = {}) =>
  call(there, "POST", "/v1/execute", { agent_id, version, ...more }, { prefer: "respond-async" });
const versionRun = async (agent: string, version?: string) => (await run(agent, version)).body["version"];

test("what changes an agent counts for the very next request, at whichever API process", async () => {
  const agent = await makeAgent(here, config.source);
  for (const name of ["current", "latest", "current", "latest"]) expect(await versionRun(agent, name)).toBe("1.0.0");

  expect((await call(here, "POST", versions(agent), { version: "2.0.0", config })).status).toBe(201);
  expect(await versionRun(agent, "latest")).toBe("2.0.0");
  expect(await versionRun(agent)).toBe("1.0.0");

  for (const version of ["1.0.0", "2.0.0", "1.0.0"]) {
    await call(here, "PUT", `${versions(agent)}/tags/live`, { version });
    expect([await versionRun(agent, "live"), await versionRun(agent, "live")]).toEqual([version, version]);
  }
  expect((await call(here, "DELETE", `${versions(agent)}/tags/live`)).status).toBe(204);
  expect(await run(agent, "live")).toMatchObject({ status: 404, body: { code: "version_not_found" } });

  expect(await versionRun(agent, "2.0.0")).toBe("2.0.0");
  await call(here, "DELETE", `${versions(agent)}/2.0.0`);
  expect(await run(agent, "2.0.0")).toMatchObject({ status: 409, body: { code: "version_archived" } });

  await call(here, "POST", `/v1/agents/${agent}/pause`);
  expect(await run(agent)).toMatchObject({ status: 409, body: { code: "agent_not_active" } });
  await call(here, "POST", `/v1/agents/${agent}/resume`);
  expect((await run(agent)).status).toBe(202);
});

test("a request never runs a version that was replaced before it was sent, however many are sent", async () => {
  const agent = await makeAgent(here, config.source);
  for (let minor = 1; minor <= 15; minor += 1) {
    const before = run(agent);
    const version = `1.${minor}.0`;
    await call(here, "POST", versions(agent), { version, config });
    const upgrade = await call(here, "POST", "/v1/upgrade", { agent_id: agent, version });
    expect(upgrade.status).toBe(200);
    expect(await Promise.all([versionRun(agent), versionRun(agent)])).toEqual([version, version]);
    expect((await before).status).toBe(202);
  }
});

test("a run of an agent that is gone is refused, and leaves no thread", async () => {
  const agent = await makeAgent(here, config.source);
  const answer = await call(
    there,
    "POST",
    "/v1/execute",
    { agent_id: agent, version: "current" },
    { prefer: "wait=20" },
  );
  expect(answer.body["status"]).toBe("success");
  expect((await call(here, "DELETE", `/v1/agents/${agent}`)).status).toBe(204);
  expect(await run(agent, "current", { thread_id: "late" })).toMatchObject({
    status: 404,
    body: { code: "agent_not_found" },
  });
  expect((await call(there, "GET", "/v1/threads/late")).status).toBe(404);
  await call(here, "POST", "/v1/agents", {
    id: agent,
    user_id: "tester",
    name: "another",
    config: { source: "def main(i): return {'new': 1}" },
  });
  const anew = await call(there, "POST", "/v1/execute", { agent_id: agent, version: "current" }, { prefer: "wait=20" });
  expect(anew.body["result_content"]).toEqual({ new: 1 });
});

test("an agent that is deleted and made anew runs its new code, also where its old one stood ready", async () => {
  const agent = await makeAgent(here, "def main(input): return {'made': 1}");
  const ended = async (): Promise<unknown> => {
    const body = { agent_id: agent, version: "current" };
    return (await call(there, "POST", "/v1/execute", body, { prefer: "wait=20" })).body["result_content"];
  };
  expect([await ended(), await ended()]).toEqual([{ made: 1 }, { made: 1 }]);
  await call(here, "DELETE", `/v1/agents/${agent}`);
  const source = "def main(input): return {'made': 2}";
  await call(here, "POST", "/v1/agents", { user_id: "tester", id: agent, name: "agent", config: { source } });
  expect([await ended(), await ended()]).toEqual([{ made: 2 }, { made: 2 }]);
});
