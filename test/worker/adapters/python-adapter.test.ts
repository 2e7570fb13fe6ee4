import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Adapter } from "../../../worker/adapters/adapter.ts";
import { type Adapters, openAdapters } from "../../../worker/adapters/registry.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { elsewhere, openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";
import { py } from "../../harness/py.ts";

let adapter: Adapter;
let adapters: Adapters;
let machine: Awaited<ReturnType<typeof openLevels>>;

beforeAll(async () => {
  machine = await openLevels();
  const [strongest] = machine.levels;
  if (!strongest) throw new Error("no level at all");
  const { python, environments } = machine;
  adapters = await openAdapters({
    sandbox: strongest,
    python,
    environments,
    idle: createIdleCache(256 << 20),
    ...elsewhere,
    node: null,
  });
  const found = adapters.byType.get("langgraph");
  if (!found || found !== adapters.byType.get("python")) throw new Error("langgraph is python");
  adapter = found;
});
afterAll(async () => {
  await adapters.close();
  await machine.close();
});

const typesOf = (frames: Frame[]) => frames.map((frame) => frame.type);

describe("output", () => {
  test("prints and yields come in the order in which the agent made them, then its return value", async () => {
    const { frames, outputs, result } = await runAgent(
      adapter,
      agentRequest("chatty", { input_payload: { name: "Ada" } }),
    );
    expect(outputs).toEqual(["hello Ada\n", "no newline", { step: 1 }, "bytes ✓\n", "two"]);
    expect(frames).toContainEqual({ type: "log", level: "info", stream: "stderr", message: "to stderr" });
    expect(result).toEqual({ done: true, input: { name: "Ada" } });
    expect(typesOf(frames).slice(-2)).toEqual(["result", "exit"]);
  });

  test("an async generator's yields are output, and a coroutine's value is the result", async () => {
    expect((await runAgent(adapter, agentRequest("async_chatty"))).outputs).toEqual([0, 1, 2]);
    expect((await runAgent(adapter, agentRequest("coroutine", { input_payload: { a: 1 } }))).result).toEqual([1]);
  });

  test("what is printed without a newline is sent as it comes; a line in one piece, and many small ones in few", async () => {
    const source = py`
      import json, sys, time
      def main(input):
          for word in ("one", "two"):
              print(word, end=" ")
              time.sleep(0.1)
          print("three", 4, sep="-")
          print("to", "stderr", file=sys.stderr)
          json.dump(list(range(2000)), sys.stdout)
    `;
    const request = agentRequest("chatty", { entrypoint: "main.py", code: { "main.py": source } });
    const { frames, outputs } = await runAgent(adapter, request);
    expect(outputs.slice(0, 3)).toEqual(["one ", "two ", "three-4\n"]);
    expect(JSON.parse(outputs.slice(3).join(""))).toHaveLength(2000);
    expect(outputs.length).toBeLessThan(40);
    expect(frames).toContainEqual({ type: "log", level: "info", stream: "stderr", message: "to stderr" });
  });

  test("a file without a function is run as a script, as __main__, and its prints are output", async () => {
    const { outputs, result, exit } = await runAgent(adapter, agentRequest("script"));
    expect(outputs).toEqual(["argv ['script.py']\n", "as main\n"]);
    expect(result).toBeNull();
    expect(exit.code).toBe(0);
  });

  test("what subprocesses and raw descriptors write is captured, before the result", async () => {
    const { frames, outputs } = await runAgent(adapter, agentRequest("raw_writer"));
    expect(outputs.join("")).toBe("raw out\nsub out\n");
    expect(frames).toContainEqual({ type: "log", level: "info", stream: "stderr", message: "sub err" });
    expect(typesOf(frames).slice(-2)).toEqual(["result", "exit"]);
  });

  test("values that JSON has not become values that it has", async () => {
    const { outputs, result } = await runAgent(adapter, agentRequest("odd_values"));
    expect(outputs.slice(0, 7)).toEqual([
      { $bytes: "AP8=" },
      null,
      "half � pair",
      [1],
      { x: 1, y: 2 },
      { "('a', 1)": "2026-01-02" },
      "<Failing: ValueError>",
    ]);
    expect(outputs[7]).toMatch(/^0x/);
    expect(outputs.slice(8)).toEqual([["<circular>"], { colour: "red" }]);
    expect(result).toBe("<class 'object'>");
  });

  test("a flood is held back while nobody reads, and ends at the abort", async () => {
    const controller = new AbortController();
    let read = 0;
    let exited = false;
    const before = process.memoryUsage().rss;
    for await (const frame of adapter.run(agentRequest("flood"), controller.signal)) {
      if (++read === 100) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
        controller.abort();
      }
      exited = frame.type === "exit";
    }
    expect(exited).toBe(true);
    expect(read).toBeLessThan(10_000);
  });

  test("a result beyond 12 MiB is an error that says so", async () => {
    const code = {
      "main.py": py`
        def main(input):
            return 'x' * (13 << 20)
      `,
    };
    const { error } = await runAgent(adapter, agentRequest("chatty", { entrypoint: "main.py:main", code }));
    expect(error).toMatchObject({ code: "agent_error", error_type: "ResultTooLarge" });
  });
});

describe("context", () => {
  test("gives input, history, state, files, env and metadata, and takes what the agent says", async () => {
    const request = agentRequest("context_user", {
      history: [{ role: "user" }],
      state_snapshot: "state-1",
      env: { API_KEY: "k" },
      metadata: { team: "a" },
      files: { "in/a.txt": "text", "b.bin": "data:text/plain;base64,aGk=", "c.txt": "data:,a%20b" },
    });
    const { frames, result } = await runAgent(adapter, request);
    expect(result).toEqual({
      history: [{ role: "user" }],
      state: "state-2",
      env: "k",
      metadata: { team: "a" },
      files: { "in/a.txt": "text", "b.bin": "hi", "c.txt": "a b" },
      others: ["HOME", "LANG", "PATH", "TMPDIR", "VIRTUAL_ENV"],
    });
    expect(frames.slice(1, -2)).toEqual([
      { type: "custom", name: "fact", value: { n: 1 } },
      { type: "progress", value: 0.5, message: "half" },
      { type: "progress", value: 1, message: null },
      { type: "log", level: "warn", stream: "agent", message: "a note" },
      { type: "tool.start", call_id: expect.any(String), name: "search", args: { q: "x" } },
      { type: "tool.end", call_id: expect.any(String), result: [1, 2], error: null, duration_ms: expect.any(Number) },
      { type: "state", state_snapshot: "state-2" },
      { type: "usage", input_tokens: 3 },
    ]);
  });

  test.each(["../x", "/etc/x", "a//b", "a/../../b", "", "."])(
    "a file named '%s' ends the run and writes nothing",
    async (name) => {
      const { error } = await runAgent(adapter, agentRequest("chatty", { files: { [name]: "x" } }));
      expect(error?.message).toContain("no relative path");
    },
  );
});

describe("entrypoints", () => {
  const cases: [string, Record<string, unknown>, unknown][] = [
    ["no_parameters", {}, "none"],
    ["only_context", {}, "run_1"],
    ["fields", { name: "ab", other: 1 }, ["abab", "run_1"]],
    ["anything", { a: 1, b: 2 }, { a: 1, b: 2 }],
    ["Predictor", { name: "Ada", times: 2 }, ["hello Ada", "hello Ada"]],
    ["app", { q: 1 }, { got: { q: 1 } }],
    ["crew", { q: 1 }, { crew: { q: 1 } }],
    ["runnable", {}, "ab"],
    ["pydantic_agent", { prompt: "hi" }, { answer: "hi!" }],
    ["openai_agent", { message: "hi" }, "said hi"],
    ["graph", {}, { messages: [{ content: "hello" }], thread: "thread_1" }],
  ];
  test.each(cases)("%s is called as its shape asks", async (name, input_payload, expected) => {
    const request = agentRequest("shapes", { entrypoint: `shapes.py:${name}`, input_payload });
    expect((await runAgent(adapter, request)).result).toEqual(expected);
  });

  test("a LangGraph graph's messages are output, its custom and update parts custom events", async () => {
    const { frames } = await runAgent(adapter, agentRequest("shapes", { entrypoint: "shapes.py:graph" }));
    expect(frames.slice(1, 4)).toEqual([
      { type: "output", content: "hel" },
      { type: "custom", name: "custom", value: { note: 1 } },
      { type: "custom", name: "update", value: { node: 1 } },
    ]);
  });

  test("runfleet.pyi says what `import runfleet` gives", async () => {
    const source = py`
      import inspect
      import runfleet
      def main():
          named = {name: getattr(runfleet, name) for name in dir(runfleet) if name[0] != "_"}
          functions = {name: item for name, item in named.items() if inspect.isroutine(item) and name != "step"}
          return {name: list(inspect.signature(item).parameters) for name, item in functions.items()}
    `;
    const stub = readFileSync("runtime/python/runfleet.pyi", "utf8");
    // `step` is overloaded.
    const declared = [...stub.matchAll(/^def (\w+)\(([^)]*)\)/gm)]
      .map(([, name, parameters = ""]) => [name, [...parameters.matchAll(/(\w+):/g)].map(([, parameter]) => parameter)])
      .filter(([name]) => name !== "step");
    const request = agentRequest("chatty", { code: { "main.py": source }, entrypoint: "main.py" });
    const { result } = await runAgent(adapter, request);
    expect({ ...(result as object), usage: null }).toEqual({ ...Object.fromEntries(declared), usage: null });
  });

  test("PydanticAI's and OpenAI Agents' texts are output while they come, what the agent does a custom event", async () => {
    const run = async (name: string) => {
      const request = agentRequest("shapes", { entrypoint: `shapes.py:${name}`, input_payload: { prompt: "hi" } });
      return (await runAgent(adapter, request)).frames.slice(1, -2);
    };
    expect(await run("pydantic_agent")).toEqual([
      { type: "output", content: "hi" },
      { type: "output", content: "!" },
    ]);
    expect(await run("openai_agent")).toEqual([
      { type: "output", content: "said " },
      { type: "output", content: "hi" },
      { type: "custom", name: "tool_called", value: { tool: "search" } },
    ]);
  });

  test.each([
    [null, "no_entrypoint"],
    ["missing.py", "bad_entrypoint"],
    ["shapes.py:missing", "bad_entrypoint"],
    ["../shapes.py", "bad_entrypoint"],
    ["shapes.txt", "bad_entrypoint"],
  ])("%s ends the run as %s", async (entrypoint, code) => {
    const { error, exit } = await runAgent(adapter, agentRequest("shapes", { entrypoint }));
    expect(error?.code).toBe(code);
    expect(exit.code).toBe(1);
  });
});

describe("ends", () => {
  test("an exception gives type, message, and a traceback of the agent's own lines with its cause", async () => {
    const { error, outputs } = await runAgent(adapter, agentRequest("raising"));
    expect(outputs).toEqual(["before"]);
    expect(error).toMatchObject({ code: "agent_error", error_type: "RuntimeError", message: "it broke" });
    expect(error?.traceback).toContain('raise RuntimeError("it broke") from error');
    expect(error?.traceback).toContain("KeyError: 'missing'");
    expect(error?.traceback).toContain('File "raising.py", line 11, in main');
    expect(error?.traceback).not.toContain("runfleet");
  });

  test("a syntax error points at its line", async () => {
    const { error } = await runAgent(adapter, agentRequest("chatty", { code: { "chatty.py": "def main(:\n" } }));
    expect(error).toMatchObject({ error_type: "SyntaxError" });
    expect(error?.traceback).toContain("def main(:");
  });

  test.each([0, null])("sys.exit(%s) is a success without a result", async (code) => {
    const { result, error, exit } = await runAgent(
      adapter,
      agentRequest("ender", { input_payload: { how: "exit", code } }),
    );
    expect([result, error, exit.code]).toEqual([null, undefined, 0]);
  });

  test.each([
    ["exit", { code: "text" }, "SystemExit", "text"],
    ["exit", { code: 4 }, "SystemExit", "4"],
    ["interrupt", {}, "KeyboardInterrupt", ""],
    ["recurse", {}, "RecursionError", "maximum recursion depth exceeded"],
  ])("%s %o is an error", async (how, input, error_type, message) => {
    const { error } = await runAgent(adapter, agentRequest("ender", { input_payload: { how, ...input } }));
    expect(error).toMatchObject({ error_type, message: expect.stringContaining(message) });
  });

  test.each([
    ["os_exit", { code: 3, signal: null }],
    ["segfault", { code: null, signal: "SIGSEGV" }],
    ["close", { code: 1, signal: null }],
  ])("%s leaves what was said before and an exit without a result", async (how, expected) => {
    const { frames, outputs, exit } = await runAgent(adapter, agentRequest("ender", { input_payload: { how } }));
    expect(outputs[0]).toBe("before\n");
    expect(typesOf(frames)).not.toContain("result");
    expect(typesOf(frames)).not.toContain("error");
    expect(exit).toMatchObject(expected);
  });

  test("an agent that writes the protocol itself harms only its own run", async () => {
    const { frames, result } = await runAgent(adapter, agentRequest("forger"));
    expect(result).toBe("first");
    expect(typesOf(frames).filter((type) => type === "started" || type === "exit")).toHaveLength(2);
    expect(frames.filter((frame) => frame.type === "log" && frame.level === "warn").length).toBeGreaterThanOrEqual(4);
    expect(typesOf(frames)).not.toContain("progress");
  });

  test("an abort before the start still gives started and exit", async () => {
    const frames: Frame[] = [];
    for await (const frame of adapter.run(agentRequest("chatty"), AbortSignal.abort())) frames.push(frame);
    expect(frames.at(-1)).toMatchObject({ type: "exit", signal: "SIGKILL" });
  });

  test("CPU time and memory used are reported", async () => {
    const { exit } = await runAgent(adapter, agentRequest("chatty", { input_payload: { name: "x" } }));
    expect(exit.cpu_ms).toBeGreaterThan(0);
    expect(exit.max_rss_bytes).toBeGreaterThan(1024 * 1024);
  });
});
