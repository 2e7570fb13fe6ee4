import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { createConfigView } from "../../../worker/prepare/config-view.ts";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
const { url } = await stack.openApi();
const view = createConfigView(db);
afterAll(() => db.close());

const revisionOf = async (agent_id: string): Promise<string> =>
  (await stack.sql.query("SELECT revision FROM agents WHERE id = $1", [agent_id])).rows[0].revision;

test("a version's code is read once while its agent stays as it is, and anew when it was changed or made anew", async () => {
  const agent_id = await makeAgent(url, "def main(input): return {'made': 1}");
  const read = async () => view.configOf({ agent_id, version: "1.0.0", agent_revision: await revisionOf(agent_id) });
  const first = await read();
  expect(first.config.source).toContain("'made': 1");
  expect(await read()).toBe(first);

  await call(url, "POST", `/v1/agents/${agent_id}/pause`);
  const paused = await read();
  expect(paused).not.toBe(first);
  expect(paused).toEqual(first);

  await call(url, "DELETE", `/v1/agents/${agent_id}`);
  const config = { source: "def main(input): return {'made': 2}" };
  await call(url, "POST", "/v1/agents", { user_id: "tester", id: agent_id, name: "agent", config });
  const anew = await read();
  expect([anew.config, anew.config_hash === first.config_hash]).toEqual([config, false]);
});

test("a version that is no more says nothing", async () => {
  expect((await view.configOf({ agent_id: "gone", version: "1.0.0", agent_revision: null })).config).toEqual({});
});

test("what is remembered has a bound: the versions that were used last stay", async () => {
  const source = `x = "${"y".repeat(5_000_000)}"`;
  const agents: string[] = [];
  for (let made = 0; made < 8; made += 1) agents.push(await makeAgent(url, source));
  const read = async (agent_id = "") =>
    view.configOf({ agent_id, version: "1.0.0", agent_revision: await revisionOf(agent_id) });
  const firsts = [];
  for (const agent of agents) firsts.push(await read(agent));
  expect((await read(agents[7])) === firsts[7]).toBe(true);
  expect((await read(agents[0])) === firsts[0]).toBe(false);
});
