import { expect, test } from "vitest";
import { configWarnings } from "../../../../shared/domain/agent/config-warnings.ts";
import { configKeys } from "../../../../shared/schemas/agent-config.ts";

const messagesOf = (config: Record<string, unknown>) =>
  configWarnings(config, configKeys).map(({ message }) => message);

test("a key that the service doesn't read is named, with the key that was probably meant", () => {
  expect(messagesOf({ requirments: ["httpx"], limits: { timeout: 1, memory_mb: 64 }, entrypoint: "a.py" })).toEqual([
    "The service doesn't read `config.requirments`. Did you mean `requirements`?",
    "The service doesn't read `config.limits.timeout`.",
  ]);
  expect(messagesOf({ Reuse: true, colour: "blue" })).toEqual([
    "The service doesn't read `config.Reuse`. Did you mean `reuse`?",
    "The service doesn't read `config.colour`.",
  ]);
});

test("what is free-form below a known key is the author's, and many keys are bounded", () => {
  expect(messagesOf({ input_schema: { anything: 1 }, env: { ANY: "1" }, files: { "a.py": "" } })).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`own${at}${"x".repeat(500)}`, at]));
  const found = messagesOf(many);
  expect(found).toHaveLength(20);
  expect(Math.max(...found.map((message) => message.length))).toBeLessThan(200);
});

test("a hundred thousand keys are answered for as twenty are", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`${at}`.padEnd(64, "x"), at]));
  expect(messagesOf(many)).toHaveLength(20);
});

test("a network that no run has is named; that of `full` runs and of agents that leave the mode to the request is not", () => {
  const network = { allow: ["example.com"] };
  expect(messagesOf({ runtime_mode: "standard", network })).toEqual([
    "Runs have no network: `config.network` is for the `runtime_mode` `full`, and for daemons. The config says `standard`.",
  ]);
  for (const config of [{ runtime_mode: "full", network }, { network }, { runtime_mode: "isolated", network: "none" }])
    expect(messagesOf(config)).toEqual([]);
});
