import { afterAll, expect, test } from "vitest";
import { createCommandAdapter } from "../../../worker/adapters/command/command-adapter.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

const machine = await openLevels();
const [sandbox] = machine.levels;
if (!sandbox) throw new Error("no level at all");
const adapter = createCommandAdapter(sandbox, machine.python);
afterAll(async () => {
  adapter.close();
  await machine.close();
});

test("a text file that begins like a data: URL is written as it is", async () => {
  const files = { "a.yaml": "data: one, two\n", "b.txt": "data:text/plain;base64,aGk=", "c.txt": "data:,a%20b" };
  const command = ["cat", ...Object.keys(files)];
  const { outputs } = await runAgent(adapter, agentRequest("chatty", { command, files, code: {} }));
  expect(outputs.join("")).toBe("data: one, two\nhia b");
});
