import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Adapter, AgentRequest } from "../../../worker/adapters/adapter.ts";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { py } from "../../harness/py.ts";
import { hasPip, openWheelIndex } from "../../../bench/packages/wheel-index.ts";
import { environmentsIn, openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

/** `pip` is a package of the machine, too; `ordered` has a module of the name of one of Python's own. */
const index = await openWheelIndex({
  shadow: { "pip/__init__.py": "name = 'own'" },
  ordered: { "ordered/__init__.py": "", "colorsys.py": "name = 'shadows Python'" },
});
const machine = await openLevels();
const directory = mkdtempSync("/var/tmp/runfleet-real-");
const env = { PIP_CONFIG_FILE: "/dev/null", PIP_NO_INDEX: "1", PIP_FIND_LINKS: index.folder };
const canInstall = hasPip(machine.python.path);
const hostHasPip = execFileSync("python3", ["-c", "import pip; print(pip.__file__)"], { encoding: "utf8" }).trim();
let adapter: Adapter & { close(): void };

async function openAdapter(sandbox = machine.levels[0]) {
  if (!sandbox) throw new Error("no level at all");
  const { python } = machine;
  const environments = environmentsIn(sandbox, { python, directory, env });
  const guarded = environments.guard(sandbox);
  return createPythonAdapter({ sandbox: guarded, python, environments, idle: createIdleCache(1 << 28) });
}

beforeAll(async () => {
  await chmod(directory, 0o755);
  adapter = await openAdapter();
});
afterAll(async () => {
  adapter.close();
  await machine.close();
  await index.close();
  await rm(directory, { recursive: true });
});

const request = (source: string, changes: Partial<AgentRequest> = {}) =>
  agentRequest("chatty", { entrypoint: "main.py", code: { "main.py": source }, ...changes });
const run = (source: string, changes: Partial<AgentRequest> = {}) => runAgent(adapter, request(source, changes));
const folder = (files: Record<string, string>, entrypoint: string, input_payload = {}) =>
  runAgent(adapter, agentRequest("chatty", { entrypoint, code: files, input_payload }));

const findsPip = py`
  import subprocess, sys
  def look(code):
      done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
      return done.stdout.strip() or done.stderr.strip().split("\n")[-1]
  def main():
      try:
          import pip
          own = getattr(pip, "name", pip.__file__)
      except ImportError as error:
          own = str(error)
      child = look("import pip; print(getattr(pip, 'name', pip.__file__))")
      by_name = subprocess.run(["python3", "-c", "import pip; print(getattr(pip, 'name', 'machine'))"], capture_output=True, text=True)
      return {"own": own, "child": child, "by_name": by_name.stdout.strip(), "in_venv": sys.prefix != sys.base_prefix}
`;

const cases = machine.levels.map((sandbox) => ({ sandbox, level: sandbox.report.level }));
describe.runIf(canInstall && hostHasPip).each(cases)("packages at level $level", ({ sandbox }) => {
  test("the machine's packages aren't there; an agent's own are, for its children too", async () => {
    const opened = await openAdapter(sandbox);
    const nothing = "No module named 'pip'";
    for (const runtime_mode of ["standard", "isolated"]) {
      const { result } = await runAgent(opened, request(findsPip, { runtime_mode }));
      expect(result).toEqual({ own: nothing, child: `ModuleNotFoundError: ${nothing}`, by_name: "", in_venv: true });
      const changes = { requirements: ["shadow"], runtime_mode };
      const { result: own } = await runAgent(opened, request(findsPip, changes));
      expect(own).toEqual({ own: "own", child: "own", by_name: "own", in_venv: true });
    }
    opened.close();
  });
});

test.runIf(canInstall)("a package doesn't hide Python's own modules, in no process of the agent's", async () => {
  const source = py`
    import subprocess, sys
    import colorsys
    def main():
        code = "import colorsys; print(hasattr(colorsys, 'name'))"
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return [hasattr(colorsys, "name"), child.stdout]
  `;
  expect((await run(source, { requirements: ["ordered"] })).result).toEqual([false, "False\n"]);
});

describe("an agent that can't run says why", () => {
  test.each([
    [
      "a typo in main",
      "def mian(input): return 1",
      "no_entrypoint",
      /none of main, run, .* It has mian\. .*'main.py:mian'/,
    ],
    ["no code at all", "", "no_entrypoint", /does nothing by itself/],
    ["an object under another name", "class A:\n    pass\nmy_agent = A()", "no_entrypoint", /It has A, my_agent/],
    [
      "an object that nothing runs",
      "class A:\n    pass\nagent = A()",
      "bad_entrypoint",
      /Nothing is known that runs 'agent', which is a main\.A\. Write a function/,
    ],
    [
      "a missing argument",
      "def main(name, greeting='hi'): return name",
      "agent_error",
      /^missing argument 'name': main\(\) .* it has nam\./,
    ],
    [
      "an exit code",
      "import sys\ndef main():\n    print('no such flag', file=sys.stderr)\n    sys.exit(2)",
      "agent_error",
      /^The agent exited with code 2: no such flag$/,
    ],
    [
      "argparse",
      "import argparse\ndef main():\n    argparse.ArgumentParser().parse_args(['--x'])",
      "agent_error",
      /exited with code 2: usage: .*unrecognized arguments: --x/s,
    ],
  ])("%s", async (_name, source, code, message) => {
    const { error, result } = await run(source, { input_payload: { nam: "Bo" } });
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(result).toBeUndefined();
  });

  test("files without an entrypoint are named", async () => {
    const code = { "agent.py": "def main(): return 1", "lib/util.py": "" };
    const { error } = await runAgent(adapter, agentRequest("chatty", { entrypoint: null, code }));
    expect(error?.message).toBe(
      'The agent\'s config has no entrypoint. Its code is agent.py, lib/util.py: name one, as in "entrypoint": "agent.py:main".',
    );
  });
});

test("objects that run are run: with run(), a class of one, a factory, an ASGI and a WSGI app", async () => {
  const source = py`
    class Agent:
        def run(self, input): return {"ran": input}
    agent = Agent()
    def make(): return app
    async def app(scope, receive, send):
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"path": "' + scope["path"].encode() + b'", "got": ' + body + b"}"})
    async def events(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        for part in (b"one ", b"two"):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    def web(environ, start_response):
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"nothing at " + environ["PATH_INFO"].encode()]
  `;
  const at = (name: string, input_payload = { a: 1 }) => run(source, { entrypoint: `main.py:${name}`, input_payload });
  expect((await run(source, { input_payload: { a: 1 } })).result).toEqual({ ran: { a: 1 } });
  expect((await at("Agent")).result).toEqual({ ran: { a: 1 } });
  expect((await at("app")).result).toEqual({ path: "/", got: { a: 1 } });
  expect((await at("make", { path: "/chat", body: "x".length } as never)).result).toEqual({ path: "/chat", got: 1 });
  expect((await at("events")).outputs).toEqual(["one ", "two"]);
  expect((await at("web")).error).toMatchObject({
    error_type: "WebAppError",
    message: /404 to POST \/: nothing at \//,
  });
});

describe("packages of the author's own", () => {
  const core = "from .util import shout\ndef main(input): return shout(input['word']) + __name__";
  const util = "def shout(word): return word.upper() + ' '";
  const plain = { "agent/__init__.py": "", "agent/core.py": core, "agent/util.py": util };
  test.each([
    ["a file of a package", plain, "agent/core.py:main", "HI agent.core"],
    ["a dotted name", plain, "agent.core:main", "HI agent.core"],
    [
      "a package that imports the module itself",
      { ...plain, "agent/__init__.py": "from .core import main" },
      "agent:main",
      "HI agent.core",
    ],
    [
      "relative imports without __init__.py",
      { "agent/core.py": core, "agent/util.py": util },
      "agent/core.py",
      "HI agent.core",
    ],
    [
      "a src layout",
      { "src/my/core.py": core.replace(".util", "my.util"), "src/my/util.py": util, "src/my/__init__.py": "" },
      "src/my/core.py:main",
      "HI my.core",
    ],
    [
      "a src layout by its dotted name",
      { "src/my/core.py": core, "src/my/util.py": util, "src/my/__init__.py": "" },
      "my.core:main",
      "HI my.core",
    ],
    [
      "an entry beside a src folder",
      { "main.py": "from my.core import main", "src/my/core.py": core, "src/my/util.py": util },
      "main.py",
      "HI my.core",
    ],
    [
      "a module named like one of Python's",
      { ...plain, "agent/json.py": "x = 1", "agent/core.py": `import json\n${core}` },
      "agent/core.py",
      "HI agent.core",
    ],
  ])("%s", async (_name, files, entrypoint, expected) => {
    const { result, error } = await folder(files, entrypoint, { word: "hi" });
    expect(error).toBeUndefined();
    expect(result).toBe(expected);
  });

  test("`python -m package`", async () => {
    const files = { ...plain, "agent/__main__.py": "from .util import shout\nprint(shout('main') + __name__)" };
    expect((await folder(files, "-m agent")).outputs).toEqual(["MAIN __main__\n"]);
    expect((await folder(files, "agent")).outputs).toEqual(["MAIN __main__\n"]);
  });

  test("what isn't there is named, with what is", async () => {
    const { error } = await folder(plain, "agent.cor:main");
    expect(error?.message).toMatch(/no module 'agent.cor' .* There is: agent\/__init__.py, agent\/core.py/);
  });
});

test("a plain script reads its input from stdin, or from the module runfleet", async () => {
  const source = py`
    import json, sys
    from runfleet import context
    print(json.load(sys.stdin)["a"], context.input["a"])
  `;
  expect((await run(source, { input_payload: { a: 7 } })).outputs).toEqual(["7 7\n"]);
});

test("what Python's logging and warnings write has its level", async () => {
  const source = py`
    import logging, sys, warnings
    def main():
        logging.basicConfig(level=logging.DEBUG)
        logging.getLogger("a").debug("one")
        logging.warning("two")
        logging.error("three\nlines")
        warnings.warn("four")
        print("five", file=sys.stderr)
  `;
  const { frames } = await run(source);
  const logs = frames.flatMap((frame) => (frame.type === "log" ? [[frame.level, frame.message]] : []));
  expect(logs).toEqual([
    ["debug", "DEBUG:a:one"],
    ["warn", "WARNING:root:two"],
    ["error", "ERROR:root:three\nlines"],
    ["warn", expect.stringMatching(/UserWarning: four/)],
    ["info", "five"],
  ]);
});

test("libraries start one thread each, unless the agent's env says otherwise", async () => {
  const source = "import os\ndef main(): return [os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS']]";
  const version_env = { OMP_NUM_THREADS: "4" };
  expect((await run(source, { version_env, env: version_env })).result).toEqual(["1", "4"]);
});

test("a Cog predictor is set up once for all its runs", async () => {
  const source = py`
    import os, time
    class Predictor:
        def setup(self):
            self.ready = (time.monotonic(), os.getpid())
        def predict(self, text: str):
            return [self.ready, text]
  `;
  const first = await run(source, { input_payload: { text: "a", other: 1 } });
  const second = await run(source, { input_payload: { text: "b" } });
  expect(first.result).toEqual([expect.any(Array), "a"]);
  const [[ready]] = [first.result as unknown[]];
  // Where the sandbox has warm starts, the second run is a fork of the process that was set up.
  if (second.frames.some((frame) => frame.type === "started" && frame.warm))
    expect(second.result).toEqual([ready, "b"]);
});

test("values of numpy's kind, yielded and returned, are numbers and lists", async () => {
  const source = py`
    from collections import deque
    from dataclasses import dataclass
    from decimal import Decimal
    class float32:
        dtype = "float32"
        def __init__(self, value): self.value = value
        def tolist(self): return self.value
    class ndarray(float32): ...
    @dataclass
    class Point:
        __slots__ = ("x",)
        x: float
    class NAType: ...
    def main():
        yield ndarray([[1, 2], [3, 4]])
        yield {"f": float32(1.5), "nan": ndarray([float("nan")]), "p": Point(2), "na": NAType(), "d": deque([1]), "r": range(2)}
        return {"b": float32(True), "d": Decimal("1.5")}
  `;
  const { outputs, result } = await run(source);
  expect(outputs).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
    { f: 1.5, nan: [null], p: { x: 2 }, na: null, d: [1], r: [0, 1] },
  ]);
  expect(result).toEqual({ b: true, d: "1.5" });
});
