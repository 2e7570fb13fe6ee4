import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import type { WarmSandbox } from "../../../worker/sandbox/warm-sandbox.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";
import { py } from "../../harness/py.ts";

const machine = await openLevels();
const kept = machine.levels.find((level) => level.startWarm);
let adapter: Awaited<ReturnType<typeof createPythonAdapter>>;
const started: WarmSandbox[] = [];

/** A version of its own for each test: what another test did to its interpreter doesn't matter. */
const request = (source: string, changes: Parameters<typeof agentRequest>[1] = {}) =>
  agentRequest("chatty", { entrypoint: "main.py:main", code: { "main.py": source }, ...changes });
const run = async (...args: Parameters<typeof request>) => {
  const played = await runAgent(adapter, request(...args));
  const [started] = played.frames;
  const notes = played.frames.flatMap((frame) =>
    frame.type === "log" && frame.stream === "agent" ? [frame.message] : [],
  );
  return { ...played, warm: started?.type === "started" && started.warm, notes };
};

const noting =
  (start: NonNullable<Sandbox["startWarm"]>): typeof start =>
  async (command) => {
    const one = await start(command);
    started.push(one);
    return one;
  };

describe.runIf(kept)("a Python agent whose sandbox is kept", () => {
  beforeAll(async () => {
    if (!kept) return;
    adapter = await createPythonAdapter({
      sandbox: { ...kept, ...(kept.startWarm && { startWarm: noting(kept.startWarm) }) },
      python: machine.python,
      environments: machine.environments,
      idle: createIdleCache(1 << 28),
    });
  });
  afterAll(async () => {
    adapter.close();
    await machine.close();
  });

  test("is warm from its second run on, for its own owner, version and mode only", async () => {
    const source = py`
      import os
      boot = os.urandom(4).hex()
      def main(input): return boot
    `;
    const first = await run(source);
    const second = await run(source);
    expect([first.warm, second.warm]).toEqual([false, true]);
    expect(second.result).toBe(first.result);
    for (const changes of [{ user_id: "other" }, { version: "2" }, { runtime_mode: "full" }, { agent_id: "a2" }]) {
      const other = await run(source, changes);
      expect([other.warm, other.result]).not.toEqual([true, first.result]);
      expect(other.warm).toBe(false);
    }
  });

  test.each(["main:main", "-m main", "main.py"])(
    "loads the code once for all runs of the entrypoint %s",
    async (entrypoint) => {
      const source = py`
      import os
      boot = os.urandom(4).hex()
      def main(input): return boot
    `;
      const first = await run(source, { entrypoint });
      expect((await run(source, { entrypoint })).result).toBe(first.result);
    },
  );

  test.each(['context["run_id"]', "context.run_id"])(
    "code that asks for %s when it is loaded is told of each run's own",
    async (asked) => {
      const source = py`
        from runfleet import context
        found = ${asked}
        def main(input): return found
      `;
      const results = [];
      for (const run_id of ["1", "2", "3"]) results.push((await run(source, { run_id })).result);
      expect(results).toEqual(["1", "2", "3"]);
    },
  );

  test("a run isn't given a sandbox that died while nobody used it", async () => {
    const source = "def main(input): return 'here'";
    await run(source);
    for (const one of started) one.kill();
    await Promise.all(started.map(({ exited }) => exited));
    // What it still held back of its pipes is read to the end as well.
    await sleep(300);
    const after = await run(source);
    expect([after.warm, after.result]).toEqual([false, "here"]);
  });

  test("an isolated run is alone in its sandbox, and later ones don't find it", async () => {
    const source = py`
      import os
      boot = os.urandom(4).hex()
      def main(input): return boot
    `;
    const results = [];
    for (let round = 0; round < 3; round += 1) results.push(await run(source, { runtime_mode: "isolated" }));
    expect(results.map(({ warm }) => warm)).toEqual([false, false, false]);
    expect(new Set(results.map(({ result }) => result)).size).toBe(3);
  });

  test("a run finds nothing of the one before: files, environment, memory, processes, sockets", async () => {
    const secret = `secret-${Math.random().toString(36).slice(2)}`;
    const left = agentRequest("leaver", { input_payload: { do: "leave", secret }, env: { API_KEY: secret } });
    expect((await runAgent(adapter, left)).result).toBe(secret);
    const secret_halves = [secret.slice(0, 12), secret.slice(12)].map((half) => Buffer.from(half).toString("hex"));
    const after = await runAgent(adapter, agentRequest("leaver", { input_payload: { do: "look", secret_halves } }));
    expect(after.frames[0]).toEqual({ type: "started", warm: true });
    expect(after.result).toEqual([]);
  });

  test.each(["break_out", "hidden_files"])("a run that harms its sandbox (%s) harms no later one", async (harm) => {
    await runAgent(adapter, agentRequest("leaver", { input_payload: { do: harm } }));
    const after = await runAgent(
      adapter,
      agentRequest("leaver", { input_payload: { do: "look", secret_halves: ["a5c3a5c3a5c3", "77"] } }),
    );
    expect(after.result).toEqual([]);
  });

  test("two runs of a version at the same time have a sandbox each", async () => {
    const source = py`
      import time
      def main(input):
          time.sleep(0.2)
          return open('/proc/self/stat').read().split()[0]
    `;
    const both = await Promise.all([run(source), run(source)]);
    expect(both.map(({ error }) => error)).toEqual([undefined, undefined]);
  });

  test("random numbers differ from run to run, though the generator was made before", async () => {
    const source = py`
      import random
      random.random()
      def main(input): return random.random()
    `;
    const numbers = [];
    for (let round = 0; round < 4; round += 1) numbers.push((await run(source)).result);
    expect(new Set(numbers).size).toBe(4);
  });

  test.each([
    [
      "starts threads",
      py`
        import threading, time
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
      `,
    ],
    [
      "starts processes",
      py`
        import subprocess
        subprocess.Popen(['sleep', '60'])
      `,
    ],
    [
      "opens files or connections",
      py`
        import socket
        listener = socket.socket()
      `,
    ],
    ["writes output", "print('hello from the top')"],
    ["writes files", "open('cache', 'w').write('x')"],
    [
      "shares memory",
      py`
        import mmap
        area = mmap.mmap(-1, 4096)
      `,
    ],
    [
      "reads or sets the environment (API_KEY)",
      py`
        import os
        key = os.environ.get('API_KEY')
      `,
    ],
    [
      "reads or sets the environment (API_KEY)",
      py`
        import os
        os.environ['API_KEY'] = 'own'
      `,
    ],
    [
      "raises KeyError",
      py`
        import os
        key = os.environ['API_KEY']
      `,
    ],
    [
      "its process ends",
      py`
        import os
        os.environ.get('RUN_ID') or os._exit(3)
      `,
    ],
  ])("code that %s when it is imported is loaded by each run, which says so once", async (fault, top) => {
    const source = py`
      ${top}
      def main(input):
          return globals().get('key', 'ran')
    `;
    const changes = { env: { API_KEY: "k1", RUN_ID: "run_1" } };
    const first = await run(source, changes);
    expect(first.notes).toEqual([expect.stringContaining(fault)]);
    const second = await run(source, { env: { API_KEY: "k2", RUN_ID: "run_2" } });
    expect(second.notes).toEqual([]);
    const reads = top.includes("key =");
    expect([first.result, second.result]).toEqual(reads ? ["k1", "k2"] : ["ran", "ran"]);
    if (fault === "writes output") expect(second.outputs).toEqual(["hello from the top\n"]);
  });

  test("the version's own environment is there when it is imported, and stays warm", async () => {
    const source = py`
      import os
      base = os.environ['BASE']
      def main(input): return [base, os.environ['RUN_ID']]
    `;
    const version_env = { BASE: "https://x" };
    const play = (run_id: string) => run(source, { version_env, env: { ...version_env, RUN_ID: run_id } });
    expect((await play("r1")).result).toEqual(["https://x", "r1"]);
    expect(await play("r2")).toMatchObject({ warm: true, notes: [], result: ["https://x", "r2"] });
  });

  test("what the code sets in the environment when it is imported stays, loaded ahead or not", async () => {
    const source = py`
      import os
      os.environ['MODE'] = 'own'
      def main(input): return os.environ['MODE']
    `;
    const version_env = { MODE: "version" };
    const play = (env: object = {}) => run(source, { version_env, env: { ...version_env, ...env } });
    expect((await play()).result).toBe("own");
    expect(await play()).toMatchObject({ warm: true, notes: [], result: "own" });
    expect(await play({ MODE: "run" })).toMatchObject({ warm: false, result: "own" });
  });

  test("a run that brings files has them beside the code, and may shadow it", async () => {
    const source = py`
      import helper
      def main(input): return helper.name
    `;
    const code = { "main.py": source, "helper.py": "name = 'version'" };
    expect((await run(source, { code })).result).toBe("version");
    expect((await run(source, { code, files: { "helper.py": "name = 'run'" } })).result).toBe("run");
    expect((await run(source, { code })).result).toBe("version");
  });

  test("an import that never ends is ended by the abort", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const frames = [];
    for await (const frame of adapter.run(
      request(py`
        while True: pass
        def main(input): pass
      `),
      controller.signal,
    ))
      frames.push(frame.type);
    expect(frames).toEqual(["started", "exit"]);
  });

  test("beyond the memory that may be kept, the least recently used of the owner who has most goes", async () => {
    if (!kept) return;
    const small = await createPythonAdapter({
      sandbox: kept,
      python: machine.python,
      environments: machine.environments,
      // One may hold a quarter of it. Without a cgroup, what a sandbox's processes share counts for each.
      idle: createIdleCache(112 << 20),
    });
    const warmth = async (agent_id: string) => {
      const { frames } = await runAgent(
        small,
        request(
          py`
            hoard = b'x' * (2 << 20)
            def main(input): return 1
          `,
          { agent_id },
        ),
      );
      return frames[0];
    };
    for (const agent_id of "abcdefghijkl") await warmth(agent_id);
    expect(await warmth("l")).toEqual({ type: "started", warm: true });
    expect(await warmth("a")).toEqual({ type: "started", warm: false });
    small.close();
  });
});
