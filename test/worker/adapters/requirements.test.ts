import { mkdtempSync, readdirSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { hasPip, openWheelIndex } from "../../../bench/packages/wheel-index.ts";
import { environmentsIn, openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";
import { py } from "../../harness/py.ts";

/** Whose code would run at the start of any interpreter that looks at them. */
const evil = "import os; os.environ['EVIL'] = 'ran'";
const index = await openWheelIndex({
  greeter: { "greeter/__init__.py": "name = 'greeter 1.2.0'", "greeter/table.json": "{}" },
  shadow: { "pip/__init__.py": "name = 'own'" },
  evil: {
    "evil_package/__init__.py": "",
    "evil.pth": `${evil}\n/usr/share\n`,
    "sitecustomize.py": evil,
    "usercustomize.py": evil,
  },
});
const machine = await openLevels([index.host]);
/** Below /var/tmp, where the sandbox's users can read. */
const directory = mkdtempSync("/var/tmp/runfleet-requirements-");
const env = { PIP_CONFIG_FILE: "/dev/null", PIP_NO_INDEX: "1", PIP_FIND_LINKS: index.folder };
const canInstall = hasPip(machine.python.path);

beforeAll(() => chmod(directory, 0o755));
afterAll(async () => {
  await machine.close();
  await index.close();
  await rm(directory, { recursive: true });
});

const source = py`
  import greeter, os, sys
  def main(input):
      if input.get("write"):
          try:
              open(os.path.join(os.path.dirname(greeter.__file__), "table.json"), "w")
          except OSError as error:
              return type(error).__name__
          return "written"
      return {"name": greeter.name, "evil": os.environ.get("EVIL"), "path": "/usr/share" in sys.path}
`;
const request = (requirements: string[], changes = {}) =>
  agentRequest("chatty", { entrypoint: "main.py:main", code: { "main.py": source }, requirements, ...changes });
const plain = { name: "greeter 1.2.0", evil: null, path: false };

async function openAdapter(sandbox: Sandbox, given = {}) {
  const { python } = machine;
  const environments = environmentsIn(sandbox, { python, directory, env, ...given });
  const guarded = environments.guard(sandbox);
  const adapter = await createPythonAdapter({ sandbox: guarded, python, environments, idle: createIdleCache(1 << 28) });
  const close = (): void => {
    adapter.close();
    environments.close();
  };
  return { adapter, close };
}
const wipe = async (): Promise<void> => {
  for (const name of readdirSync(directory)) await rm(join(directory, name), { recursive: true });
};

const cases = machine.levels.map((sandbox) => ({ sandbox, name: sandbox.report.name, level: sandbox.report.level }));
describe.runIf(canInstall).each(cases)("requirements, level $level ($name)", ({ sandbox, level }) => {
  test("are installed once, from a folder of wheels and without a network, and the runs have them", async () => {
    await wipe();
    const { adapter, close } = await openAdapter(sandbox);
    const both = await Promise.all([
      runAgent(adapter, request(["greeter>=1.0"])),
      runAgent(adapter, request([" Greeter >=1.0"], { runtime_mode: "isolated" })),
    ]);
    expect(both.map(({ result }) => result)).toEqual([plain, plain]);
    const logs = both.flatMap(({ frames }) => frames.flatMap((frame) => (frame.type === "log" ? [frame.message] : [])));
    expect(logs.filter((line) => line.startsWith("Successfully installed"))).toHaveLength(1);
    expect(readdirSync(directory)).toHaveLength(1);
    const after = await runAgent(adapter, request(["greeter>=1.0"]));
    expect(after.frames.filter(({ type }) => type === "log")).toEqual([]);
    expect(after.result).toEqual(plain);
    close();
  });

  test("come before what the machine has of the same name", async () => {
    const { adapter, close } = await openAdapter(sandbox);
    const code = {
      "main.py": py`
        import pip
        def main(input): return pip.name
      `,
    };
    expect((await runAgent(adapter, request(["shadow"], { code }))).result).toBe("own");
    close();
  });

  test("never run code of a package at an interpreter's start: no .pth file, no sitecustomize", async () => {
    const { adapter, close } = await openAdapter(sandbox);
    for (const runtime_mode of ["standard", "isolated"]) {
      const { result } = await runAgent(adapter, request(["greeter", "evil"], { runtime_mode }));
      expect(result).toEqual(plain);
    }
    close();
  });

  test.runIf(level > 0)("can't be written by a run", async () => {
    const { adapter, close } = await openAdapter(sandbox);
    const { result } = await runAgent(adapter, request(["greeter"], { input_payload: { write: true } }));
    expect(["OSError", "PermissionError"]).toContain((result as { output: unknown }).output ?? result);
    close();
  });

  test(`come from an index by the network, ${sandbox.hasEgress ? "and the install reaches nothing else" : "or the run says why not"}`, async () => {
    await wipe();
    const given = { env: { PIP_CONFIG_FILE: "/dev/null", PIP_INDEX_URL: index.url } };
    const { adapter, close } = await openAdapter(sandbox, given);
    const { result, error, frames, exit } = await runAgent(adapter, request(["greeter"]));
    const { name } = sandbox.report;
    if (name === "landlock") expect(error?.message).toMatch(/level [01] .* has no network .* level 2 or above/);
    else expect(result).toEqual(plain);
    if (name === "process") expect(JSON.stringify(frames)).toContain("the machine's whole network");
    if (level === 3) expect(exit.cpu_ms).toBeGreaterThan(200);
    if (sandbox.hasEgress) {
      const elsewhere = await openAdapter(sandbox, {
        env: { ...given.env, PIP_INDEX_URL: "http://127.0.0.1:1/simple/" },
      });
      const before = index.asked.length;
      // The files of that index would be at this one.
      const refused = await runAgent(elsewhere.adapter, request(["greeter"]));
      expect(refused.error?.code).toBe("dependency_install_failed");
      expect(index.asked).toHaveLength(before);
      elsewhere.close();
    }
    close();
  });
});

describe.runIf(canInstall)("a failing installation", () => {
  const play = async (requirements: string[]) => {
    const [sandbox] = machine.levels;
    if (!sandbox) throw new Error("no level at all");
    const { adapter, close } = await openAdapter(sandbox);
    const played = await runAgent(adapter, request(requirements));
    close();
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
    expect(readdirSync(directory).filter((name) => name.includes("-"))).toEqual([]);
  });

  test.each(["--index-url=http://x", "-e .", "./local", "git+https://x/y", "x @ http://x/y.whl", "/abs"])(
    "'%s' is no requirement: it could bring other code than the index has",
    async (odd) => {
      const { error } = await play([odd]);
      expect(error).toMatchObject({
        code: "dependency_install_failed",
        message: expect.stringContaining("no requirement"),
      });
    },
  );
});
