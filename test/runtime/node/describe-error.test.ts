import { expect, test } from "vitest";
import { describe } from "../../../runtime/node/describe-error.mjs";

class OddError extends Error {}

test("an error has its class, its message, and the agent's own lines by their relative paths", () => {
  const error = new OddError(`no file ${process.cwd()}/data.txt`);
  error.stack = [
    "OddError: no file",
    `    at main (file://${process.cwd()}/main.mjs:2:9)`,
    "    at drive ([eval1]:300:5)",
    "    at node:internal/process/task_queues:95:5",
    "    at async Object.next (<anonymous>)",
  ].join("\n");

  expect(describe(error)).toEqual({
    error_type: "OddError",
    message: "no file data.txt",
    traceback: "OddError: no file\n    at main (main.mjs:2:9)",
  });
});

test("what caused an error is shown once, also when errors cause each other in a circle", () => {
  const first = new Error("first");
  const second = new AggregateError([new Error("part"), first], "second", { cause: first });
  first.cause = second;

  const traceback = describe(first).traceback ?? "";

  expect(traceback.match(/Caused by: /g)).toHaveLength(2);
  expect(traceback).toMatch(/^Error: first[^]*Caused by: AggregateError: second[^]*Caused by: Error: part/);
});

test("a chain of causes and a long message end", () => {
  let error = new Error("last");
  for (let depth = 0; depth < 100; depth++) error = new Error("e", { cause: error });

  expect(describe(error).traceback?.match(/Caused by: /g)?.length).toBeLessThan(10);
  expect(describe(new Error("a".repeat(1_000_000))).message).toHaveLength(64 * 1024);
});

test.each([
  ["text", "string", "text"],
  [{ a: 1 }, "object", "{ a: 1 }"],
  [undefined, "undefined", "undefined"],
])("what isn't an error is described too: %j", (thrown, error_type, message) => {
  expect(describe(thrown)).toEqual({ error_type, message, traceback: null });
});

test("what can't even be looked at is described nevertheless", () => {
  const error = new Error("a");
  Object.defineProperty(error, "message", { get: () => expect.unreachable() });
  const hostile = new Proxy(error, { get: () => expect.unreachable() });

  expect(describe(error).message).toBe("(what was thrown can't be shown)");
  expect(describe(hostile).message).toBe("(what was thrown can't be shown)");
});
