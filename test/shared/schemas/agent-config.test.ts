import { expect, test } from "vitest";
import { agentConfig, readConfig } from "../../../shared/schemas/agent-config.ts";

test("a config that was taken before one of its keys meant something still runs, without that key", () => {
  const stored = { source: "def main(input): return {}", budget: "5 EUR", adapter_type: "ruby", theme: "dark" };
  expect(agentConfig.safeParse(stored).success).toBe(false);
  expect(readConfig(stored)).toEqual({ source: stored.source, theme: "dark" });
});

test("an entrypoint names its file as the code does, however its path is written", () => {
  const read = (entrypoint: string) => readConfig({ entrypoint }).entrypoint;
  expect(["./src//index.ts:main", "././main.py", "-m agent", "agent.core:main"].map(read)).toEqual([
    "src/index.ts:main",
    "main.py",
    "-m agent",
    "agent.core:main",
  ]);
});
