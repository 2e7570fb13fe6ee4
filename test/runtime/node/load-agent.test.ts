import { expect, test } from "vitest";
import { Interrupted } from "../../../runtime/node/context.mjs";
import { BadEntrypoint, drive, endingOf, findMain } from "../../../runtime/node/load-agent.mjs";
import { runModule } from "./run-module.ts";

const load = (source: string, entrypoint = "main.mjs") => `
  import { writeFileSync } from "node:fs";
  writeFileSync("main.mjs", ${JSON.stringify(source)});
  const context = { run_id: "run", thread_id: null };
  try {
    const found = await module.loadModule({ entrypoint: ${JSON.stringify(entrypoint)}, type_stripper: "", code: {} });
    const main = module.findMain(found);
    console.log(JSON.stringify(main && (await module.drive(main({ a: 1 }, context))) || null));
  } catch (error) {
    console.log(JSON.stringify(module.endingOf(error)));
  }`;

test.each([
  ["export const main = (input) => input.a + 1", 2, []],
  ["export function* main() { yield 1; yield 2; return 3; }", 3, [1, 2]],
  ["export async function* main() { yield 4; }", null, [4]],
  ["export const main = async () => [5].values()", null, [5]],
  ["export const run = () => [6]", [6], []],
  ["export default (input) => input.a", 1, []],
  ["export default { main() { return this.number; }, number: 7 }", 7, []],
  ["export const graph = { stream: async () => [{ content: 8 }, { content: 9 }], invoke() {} }", 9, [8, 9]],
  ["export const graph = { stream: async () => ['a', 'b'], invoke() {} }", "ab", ["a", "b"]],
  ["globalThis.done = 1", null, []],
  [
    "export const main = () => new Response('{\"a\":1}\\n{\"a\":2}', { headers: { 'content-type': 'application/jsonl' } })",
    null,
    [{ a: 1 }, { a: 2 }],
  ],
])(
  "whatever shape an agent has, its yields are output and its return is the result: %s",
  async (source, result, yields) => {
    const { frames, stdout, stderr } = await runModule("load-agent", load(source));

    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(result);
    expect(frames).toEqual(yields.map((content) => ({ type: "output", content })));
  },
);

test("a method that a CommonJS module exports is called as its method", async () => {
  const { stdout } = await runModule(
    "load-agent",
    `import { writeFileSync } from "node:fs";
     writeFileSync("main.cjs", "exports.number = 7; exports.main = function () { return this.number; };");
     const found = await module.loadModule({ entrypoint: "main.cjs", type_stripper: "", code: {} });
     console.log(await module.drive(module.findMain(found)()));`,
  );
  expect(stdout).toBe("7\n");
});

test.each([
  ["", "no_entrypoint", /has no entrypoint. Its code is main.mjs: name one/],
  ["../main.mjs", "bad_entrypoint", /is not like/],
  ["/main.mjs", "bad_entrypoint", /is not like/],
  ["main.py", "bad_entrypoint", /is not like/],
  ["gone.mjs", "bad_entrypoint", /There is no file 'gone.mjs'/],
  ["main.mjs:missing", "bad_entrypoint", /nothing to call that is named 'missing'/],
])("an entrypoint that can't be called is an error that says why: %j", async (entrypoint, code, message) => {
  const { stdout } = await runModule("load-agent", load("export const main = 1", entrypoint));

  expect(JSON.parse(stdout)).toMatchObject({
    type: "error",
    code,
    message: expect.stringMatching(message),
    traceback: null,
  });
});

test("of several names the first of the known ones is called, and a named one before them", () => {
  const functions = new Map([
    ["run", () => "run"],
    ["handler", () => "handler"],
  ]);
  const find = (name: string) => functions.get(name) ?? null;
  const values = Object.fromEntries(functions);
  const context = {
    input: 1,
    run_id: null,
    thread_id: null,
    env: {},
    signal: AbortSignal.abort(),
    state: "",
    state_snapshot: "",
  };

  expect(findMain({ path: "a.js", name: undefined, values, find })?.(1, context)).toBe("run");
  expect(findMain({ path: "a.js", name: "handler", values, find })?.(1, context)).toBe("handler");
  expect(findMain({ path: "a.js", name: undefined, values: {}, find: () => null })).toBeNull();
  expect(() => findMain({ path: "a.js", name: "gone", values, find })).toThrow(BadEntrypoint);
  expect(() => findMain({ path: "a.js", name: undefined, values: { foo: 1 }, find: () => null })).toThrow(
    /exports foo/,
  );
});

test("a response that redirects is an error that names the place", async () => {
  const source = 'export const main = () => new Response(null, { status: 307, headers: { location: "/chat/" } })';
  const { stdout } = await runModule("load-agent", load(source));
  expect(JSON.parse(stdout)).toMatchObject({
    type: "error",
    message: expect.stringContaining("redirection to /chat/"),
  });
});

test("an iterator ends at its next yield once its signal is aborted, and is closed", async () => {
  const { stdout } = await runModule(
    "load-agent",
    `const abort = new AbortController();
     setTimeout(() => abort.abort(new Error("cancelled")), 20);
     let closed = false;
     async function* forever() { try { for (;;) yield 1; } finally { closed = true; } }
     await module.drive(forever(), abort).catch((error) => console.log(error.message, closed));`,
  );
  expect(stdout).toBe("cancelled true\n");
});

test("each way to fail gives its own last frame", async () => {
  const question = { reason: "input_required", message: "sure?", response_schema: null, expires_in_ms: null };
  expect(endingOf(new Interrupted(question))).toEqual({ type: "interrupt", ...question });
  expect(endingOf("thrown")).toEqual({
    type: "error",
    code: "agent_error",
    error_type: "string",
    message: "thrown",
    traceback: null,
  });
  await expect(drive(Promise.reject(new RangeError("bad")))).rejects.toThrow("bad");
});
