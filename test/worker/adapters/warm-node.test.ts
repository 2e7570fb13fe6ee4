import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNodeAdapter } from "../../../worker/adapters/node/node-adapter.ts";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import type { SandboxProcess } from "../../../worker/sandbox/process.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { quickest } from "../../harness/quickest.ts";

const machine = await openLevels();
const [strongest] = machine.levels;
if (!strongest) throw new Error("no level at all");
const sandbox = strongest;
const started: SandboxProcess[] = [];
let adapter: ReturnType<typeof createNodeAdapter>;

const request = (source: string, changes: Parameters<typeof agentRequest>[1] = {}) =>
  agentRequest("chatty", { entrypoint: "main.mjs", code: { "main.mjs": source }, ...changes });

const run = async (...args: Parameters<typeof request>) => {
  const played = await runAgent(adapter, request(...args));
  const [first] = played.frames;
  const notes = played.frames.flatMap((frame) =>
    frame.type === "log" && frame.stream === "agent" ? [frame.message] : [],
  );
  return { ...played, warm: first?.type === "started" && first.warm, notes };
};

beforeAll(async () => {
  const node = await findNode({ sandbox, directory: machine.directory, log: console });
  if (!node) throw new Error("the sandbox can't run Node");
  const noting: Sandbox = {
    ...sandbox,
    async start(command) {
      const one = await sandbox.start(command);
      started.push(one);
      return one;
    },
  };
  adapter = createNodeAdapter(noting, node, createIdleCache(1 << 30));
});
afterAll(async () => {
  adapter.close();
  await machine.close();
});

describe("a Node agent whose next process has its code loaded", () => {
  test("is warm from its second run on, for its own owner, version and mode only; no run finds another's memory or files", async () => {
    const source = `import fs from "node:fs";
let count = 0;
export default () => { const left = fs.existsSync("left"); fs.writeFileSync("left", "x"); return [++count, left, process.env.SECRET ?? null]; };`;
    const first = await run(source, { env: { SECRET: "s1" } });
    const second = await run(source);
    expect([first.warm, first.result]).toEqual([false, [1, false, "s1"]]);
    expect([second.warm, second.result]).toEqual([true, [1, false, null]]);
    for (const changes of [{ user_id: "other" }, { version: "2" }, { runtime_mode: "full" }, { agent_id: "a2" }])
      expect([(await run(source, changes)).warm, changes]).toEqual([false, changes]);
    expect((await run(source, { runtime_mode: "isolated" })).warm).toBe(false);
    expect((await run(source, { runtime_mode: "isolated" })).warm).toBe(false);
  });

  test("TypeScript is read before its run comes, with all that it imports", async () => {
    const code = {
      "main.ts":
        'import { greet } from "./greet.ts";\nexport async function* main(input: { name: string }) { yield greet(input.name); }',
      "greet.ts": "export const greet = (name: string): string => `hello ${name}`;",
    };
    const play = (name: string) => run("", { entrypoint: "main.ts", code, input_payload: { name } });
    expect((await play("ada")).outputs).toEqual(["hello ada"]);
    expect(await play("grace")).toMatchObject({ warm: true, notes: [], outputs: ["hello grace"] });
  });

  test("the module `runfleet` that was imported before knows the run that came", async () => {
    const source = `import { context, emit } from "runfleet";
export const main = (input) => { emit("seen", context.run_id); context.saveState("kept"); return [context.input, context.state]; };`;
    await run(source);
    const { warm, result, frames } = await run(source, { run_id: "run_2", input_payload: { n: 2 } });
    expect([warm, result]).toEqual([true, [{ n: 2 }, "kept"]]);
    expect(frames).toContainEqual(expect.objectContaining({ type: "custom", name: "seen", value: "run_2" }));
  });

  test.each([
    ["starts timers", "setInterval(() => {}, 1_000)"],
    ["starts timers", 'import { spawn } from "node:child_process";\nspawn("sleep", ["60"])'],
    ["starts timers", 'import { createServer } from "node:net";\ncreateServer().listen("/tmp/socket")'],
    ["writes output", 'console.log("hello from the top")'],
    ["asks for its run", 'import { context } from "runfleet";\nconst key = context.env.API_KEY'],
    ["reads or sets the environment (API_KEY)", "const key = process.env.API_KEY"],
    ["reads or sets the environment (API_KEY)", 'process.env.API_KEY = "own"'],
    ["reads or sets the environment (API_KEY)", 'import { env } from "node:process";\nconst { API_KEY: key } = env'],
    ["reads or sets the environment (API_KEY)", "const key = { ...process.env }.API_KEY"],
    ["raises Error", 'if (!process.env.API_KEY) throw new Error("no key");\nconst key = process.env.API_KEY'],
    ["its process ends", "process.env.API_KEY ?? process.exit(3)"],
    ["its process ends", 'process.env.API_KEY ?? Promise.reject(new Error("no key"))'],
  ])("code that %s when it is imported is loaded by each run, which says so once", async (fault, top) => {
    const found = top.includes("key =") ? "key" : '"ran"';
    const source = `${top};\nexport const main = () => { setTimeout(() => process.exit(0), 50); return ${found}; };`;
    const first = await run(source, { env: { API_KEY: "k1" } });
    expect(first.notes).toEqual([expect.stringContaining(fault)]);
    const second = await run(source, { env: { API_KEY: "k2" } });
    expect(second).toMatchObject({ notes: [], warm: false });
    expect([first.result, second.result]).toEqual(top.includes("key =") ? ["k1", "k2"] : ["ran", "ran"]);
    if (fault === "writes output") expect(second.outputs).toEqual(["hello from the top\n"]);
  });

  test("the version's own environment is there when it is imported, and stays warm", async () => {
    const source = "const base = process.env.BASE;\nexport const main = () => [base, process.env.RUN_ID];";
    const version_env = { BASE: "https://x" };
    const play = (run_id: string) => run(source, { version_env, env: { ...version_env, RUN_ID: run_id } });
    expect((await play("r1")).result).toEqual(["https://x", "r1"]);
    expect(await play("r2")).toMatchObject({ warm: true, notes: [], result: ["https://x", "r2"] });
  });

  test("what the code sets in the environment when it is imported stays, loaded ahead or not", async () => {
    const version_env = { MODE: "version" };
    for (const top of ['process.env.MODE = "own"', 'process.env = { ...process.env, MODE: "own" }']) {
      const source = `${top};\nexport const main = () => [process.env.MODE, process.env.RUN_ID];`;
      const play = (env: object) => run(source, { version_env, env: { ...version_env, ...env } });
      expect((await play({ RUN_ID: "r1" })).result).toEqual(["own", "r1"]);
      expect(await play({ RUN_ID: "r2" })).toMatchObject({ warm: true, notes: [], result: ["own", "r2"] });
      expect(await play({ RUN_ID: "r3", MODE: "run" })).toMatchObject({ warm: false, result: ["own", "r3"] });
    }
  });

  test("what it does between its loading and its run is said to nobody", async () => {
    const source = `import { setTimeout as sleep } from "node:timers/promises";
const ticks = [];
setInterval(() => { ticks.push(Date.now()); console.log(ticks.at(-1)); }, 20).unref();
export const main = async () => { const before = ticks.length; while (ticks.length === before) await sleep(5); return ticks[0]; };`;
    await run(source);
    // Until the next process has had the time to tick: how soon its code is loaded is the machine's matter.
    let pauseMs = 100;
    const { warm, outputs, askedAt } = await waitFor(async () => {
      await sleep((pauseMs *= 2));
      const askedAt = Date.now();
      const ran = await run(source);
      return Number(ran.result) < askedAt - 50 ? { ...ran, askedAt } : null;
    }, 25_000);
    expect(warm).toBe(true);
    const said = outputs.join("").split("\n").filter(Boolean).map(Number);
    expect(said.length).toBeGreaterThan(0);
    expect(Math.min(...said)).toBeGreaterThanOrEqual(askedAt);
  });

  test("one that patches what everybody uses harms neither its loading nor its result", async () => {
    const source = `globalThis.setImmediate = () => {};
JSON.parse = JSON.stringify = () => "patched";
export const main = (input) => [input, process.stdin.readable];`;
    await run(source);
    expect(await run(source, { input_payload: { n: 2 } })).toMatchObject({ warm: true, result: [{ n: 2 }, true] });
  });

  test("a run that reads stdin finds it empty, loaded ahead or not", async () => {
    const source = `export const main = () => new Promise((resolve) => {
  process.stdin.on("data", (data) => resolve(String(data))).on("end", () => resolve("end"));
});`;
    expect(await run(source)).toMatchObject({ warm: false, result: "end" });
    expect(await run(source)).toMatchObject({ warm: true, result: "end" });
  });

  test("an import that waits for what never comes is told so at once", async () => {
    const { error, notes } = await run("await new Promise(() => {});");
    expect(error).toMatchObject({ message: "The agent waits for something that never comes." });
    expect(notes).toEqual([expect.stringContaining("its process ends")]);
  });

  test("a run that brings files has them beside the code, and may shadow it", async () => {
    const source = 'import { name } from "./helper.mjs";\nexport const main = () => name;';
    const code = { "main.mjs": source, "helper.mjs": 'export const name = "version";' };
    expect((await run(source, { code })).result).toBe("version");
    expect((await run(source, { code, files: { "helper.mjs": 'export const name = "run";' } })).result).toBe("run");
    expect((await run(source, { code })).result).toBe("version");
  });

  test("a run isn't given a process that died while nobody used it", async () => {
    const source = 'export const main = () => "here";';
    await run(source);
    await run(source);
    for (const one of started) one.kill();
    await Promise.all(started.map(({ exited }) => exited));
    expect((await run(source)).result).toBe("here");
  });

  test("a run that waits for its code to be loaded is ended by the abort; the next one has what was loaded", async () => {
    let source = "await new Promise((resolve) => setTimeout(resolve, 1_500));\nexport const main = () => 'loaded';";
    const timeOfEnd = async (): Promise<number> => {
      // Another version each time.
      source += "\n";
      await run(source);
      await sleep(50);
      const begun = performance.now();
      const frames = [];
      for await (const frame of adapter.run(request(source), AbortSignal.timeout(300))) frames.push(frame.type);
      expect(frames).toEqual(["started", "exit"]);
      return performance.now() - begun;
    };
    expect(await quickest(1_000, timeOfEnd)).toBeLessThan(1_000);
    expect(await run(source)).toMatchObject({ warm: true, result: "loaded" });
  });

  test("an import that never ends is ended by the abort", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const frames = [];
    for await (const frame of adapter.run(request("for (;;);"), controller.signal)) frames.push(frame.type);
    expect(frames).toEqual(["started", "exit"]);
  });
});
