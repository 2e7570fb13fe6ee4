import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import { createNodeAdapter } from "../../../worker/adapters/node/node-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

const machine = await openLevels();
let adapter: ReturnType<typeof createNodeAdapter>;

/** Plays the first of the files. */
async function play(code: Record<string, string>) {
  const [entrypoint = null] = Object.keys(code);
  return runAgent(adapter, agentRequest("chatty", { entrypoint, code }));
}
const failOf = async (code: Record<string, string>) => (await play(code)).error;

beforeAll(async () => {
  const [sandbox] = machine.levels;
  if (!sandbox) throw new Error("no level at all");
  const node = await findNode({ sandbox, directory: machine.directory, log: console });
  if (!node) throw new Error("the sandbox can't run Node");
  adapter = createNodeAdapter(sandbox, node, createIdleCache(1 << 30));
});
afterAll(async () => {
  adapter.close();
  await machine.close();
});

describe("what the author of a Node agent reads of an error", () => {
  test("TypeScript's lines are those that were written, in imported files as well", async () => {
    const code = {
      "main.ts": `import { fall } from "./lib/fall.js";
interface Input {
  deep: boolean;
}
enum Mode { Deep }
class Walker {
  constructor(private readonly mode: Mode) {}
  walk(): void {
    fall(this.mode);
  }
}
export const main = (_input: Input) => new Walker(Mode.Deep).walk();`,
      "lib/fall.ts": `type Height = number;

export function fall(height: Height): never {
  throw new RangeError("too high");
}`,
    };
    const error = await failOf(code);
    expect(error).toMatchObject({ error_type: "RangeError", message: "too high" });
    expect(error?.traceback?.split("\n")).toEqual([
      "RangeError: too high",
      expect.stringMatching(/^ +at fall \(lib\/fall\.ts:4:\d+\)$/),
      expect.stringMatching(/^ +at Walker\.walk \(main\.ts:9:\d+\)$/),
      expect.stringMatching(/^ +at main \(main\.ts:12:\d+\)$/),
    ]);
  });

  test.each([
    [{ "main.mjs": "export const main = () => {\n  return 1 +;\n};" }, "main.mjs:2:13\n  return 1 +;\n            ^\n"],
    [{ "main.ts": "const a: string = 'ü';\nexport const main = () => 1 +;" }, "main.ts:2:30\n"],
    [{ "main.mjs": 'import "./part.mjs";', "part.mjs": "export default {\n  a: 1\n  b: 2\n};" }, "part.mjs:3:3\n"],
    [{ "main.cjs": "const a = {\n  b 1\n};" }, "main.cjs:2"],
    [{ "main.mjs": 'import { b } from "./part.mjs";', "part.mjs": "export const a = 1;" }, "main.mjs:1\n"],
  ])("a file that can't be read is named, with the line: %o", async (code, place) => {
    const error = await failOf(code);
    expect(error?.error_type).toBe("SyntaxError");
    expect(error?.traceback?.startsWith(place)).toBe(true);
    expect(error?.traceback).toContain("SyntaxError: ");
  });

  test.each([
    ['throw new Error("outer", { cause: new TypeError("inner") })', "Error", "outer", "Caused by: TypeError: inner"],
    ['throw new AggregateError([new Error("one"), "two"], "both")', "AggregateError", "both", "Caused by: 'two'"],
    ['throw new (class NoMoney extends Error {})("poor")', "NoMoney", "poor", "main.mjs:1"],
    ['await import("node:nothing")', "Error", "No such built-in module: node:nothing", "node:nothing"],
    ['await import("left-pad")', "Error", "Cannot find package 'left-pad' imported from main.mjs", "left-pad"],
    ["const e = new Error('loop'); e.cause = e; throw e", "Error", "loop", "Error: loop"],
    ["Error.prepareStackTrace = (_, sites) => sites; throw new Error('sites')", "Error", "sites", "Error: sites"],
    [
      "throw Object.defineProperty(new Error(), 'message', { get() { throw 1; } })",
      "object",
      "(what was thrown can't be shown)",
      null,
    ],
    ["throw { code: 5 }", "object", "{ code: 5 }", null],
    ['throw "plain"', "string", "plain", null],
  ])("%s", async (act, error_type, message, inTraceback) => {
    const error = await failOf({ "main.mjs": `export const main = async () => { ${act}; };` });
    expect(error).toMatchObject({ error_type, message });
    if (inTraceback === null) expect(error?.traceback).toBeNull();
    else expect(error?.traceback).toContain(inTraceback);
  });
});

describe("what is found in a Node agent's module", () => {
  test.each([
    [{ "main.mjs": "export default { name: 'ada', main() { return this.name; } };" }, "ada"],
    [{ "main.cjs": "module.exports = { name: 'ada', main() { return this.name; } };" }, "ada"],
    [{ "main.mjs": "export const graph = { async invoke() {}, async *stream() { yield 'streamed'; } };" }, "streamed"],
    [{ "main.cjs": "exports.__esModule = true;\nexports.default = () => 'compiled';" }, "compiled"],
    [
      {
        "main.mjs": 'export const main = async () => (await import("./late.ts")).late;',
        "late.ts": "export const late: string = 'late';",
      },
      "late",
    ],
  ])("%o", async (code, result) => {
    expect((await play(code)).result).toBe(result);
  });

  test("a yield of nothing is null", async () => {
    const { outputs } = await play({ "main.mjs": "export function* main() { yield undefined; yield 1; }" });
    expect(outputs).toEqual([null, 1]);
  });
});
