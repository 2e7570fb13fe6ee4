import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { keepIdle } from "../../../worker/adapters/warm/keep-idle.ts";
import { openEnvironments } from "../../../worker/sandbox/environments.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

const machine = await openLevels();
const hasPip = spawnSync(machine.python.path, ["-I", "-m", "pip", "--version"]).status === 0;
/** Below /var/tmp, where the sandbox's users can read. */
const directory = mkdtempSync("/var/tmp/runfleet-requirements-");
const sets = join(directory, "sets");
const env = {
  PATH: "/usr/bin:/bin",
  HOME: directory,
  PIP_NO_INDEX: "1",
  PIP_FIND_LINKS: directory,
  PIP_NO_CACHE_DIR: "1",
};
const environments = openEnvironments({ python: machine.python, directory: sets, env });

/** A wheel is a zip file; this one holds a package of one constant. */
const makeWheel = `
import sys, zipfile
info = "greeter-1.2.0.dist-info/"
with zipfile.ZipFile(sys.argv[1] + "/greeter-1.2.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("greeter/__init__.py", "name = 'greeter 1.2.0'")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: greeter\\nVersion: 1.2.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;

const source = "import greeter\ndef main(input): return greeter.name";
const request = (requirements: string[], runtime_mode = "standard") =>
  agentRequest("chatty", { entrypoint: "main.py:main", code: { "main.py": source }, requirements, runtime_mode });

beforeAll(() => {
  execFileSync("chmod", ["755", directory]);
  execFileSync(machine.python.path, ["-c", makeWheel, directory]);
});
afterAll(async () => {
  await machine.close();
  await rm(directory, { recursive: true });
});

const cases = machine.levels.map((sandbox) => ({ sandbox, name: sandbox.report.name }));
describe.runIf(hasPip).each(cases)("requirements, $name", ({ sandbox }) => {
  test("are installed once, from a folder of wheels and without a network, and the runs have them", async () => {
    await rm(sets, { recursive: true, force: true });
    const adapter = await createPythonAdapter({
      sandbox,
      python: machine.python,
      environments,
      idle: keepIdle(1 << 28),
    });
    const both = await Promise.all([
      runAgent(adapter, request(["greeter>=1.0"])),
      runAgent(adapter, request(["greeter>=1.0"], "isolated")),
    ]);
    expect(both.map(({ result }) => result)).toEqual(["greeter 1.2.0", "greeter 1.2.0"]);
    const logs = both.flatMap(({ frames }) => frames.flatMap((frame) => (frame.type === "log" ? [frame.message] : [])));
    expect(logs.filter((line) => line.startsWith("Successfully installed"))).toHaveLength(1);
    expect(readdirSync(sets)).toHaveLength(1);
    const after = await runAgent(adapter, request(["greeter>=1.0"]));
    expect(after.frames.filter(({ type }) => type === "log")).toEqual([]);
    expect(after.result).toBe("greeter 1.2.0");
    adapter.close();
  });
});

describe.runIf(hasPip)("a failing installation", () => {
  const play = async (requirements: string[]) => {
    const [sandbox] = machine.levels;
    if (!sandbox) throw new Error("no level at all");
    const adapter = await createPythonAdapter({ sandbox, python: machine.python, environments, idle: keepIdle(0) });
    const played = await runAgent(adapter, request(requirements));
    adapter.close();
    return played;
  };

  test("ends the run with the installer's words", async () => {
    const { error, frames, exit } = await play(["no-such-package==9"]);
    expect(error).toMatchObject({
      code: "dependency_install_failed",
      message: expect.stringContaining("no-such-package"),
    });
    expect(frames.filter(({ type }) => type === "log").length).toBeGreaterThan(0);
    expect(exit.code).toBe(1);
    expect(readdirSync(sets).filter((name) => name.includes("."))).toEqual([]);
  });

  test.each(["--index-url=http://x", "-e .", "./local", "git+https://x/y", "x @ http://x/y.whl", "/abs"])(
    "'%s' is no requirement: it could bring code that runs outside of a sandbox",
    async (odd) => {
      const { error } = await play([odd]);
      expect(error).toMatchObject({
        code: "dependency_install_failed",
        message: expect.stringContaining("no requirement"),
      });
    },
  );
});
