import { expect, test } from "vitest";
import { agentOf, toolName } from "../../../api/protocols/mcp/agent-tools.ts";

test("every agent has a tool's name of its own, which leads back to it", () => {
  const ids = ["hello-agent", "a@b", "a:b", "a_x40_b", "_x40:", "_x40_x41_", ":x40_", "_:", "_x4:", "__x3A__", "_x5F_"];
  const names = ids.map(toolName);
  expect(names.map(agentOf)).toEqual(ids);
  expect(new Set(names).size).toBe(ids.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]+$/);
});
