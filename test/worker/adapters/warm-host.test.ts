import { spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { compileRuntime } from "../../../worker/adapters/python/compile-runtime.ts";
import { encodeControlFrame } from "../../../worker/adapters/python/control-frames.ts";
import { pythonArgv, runtimeHead } from "../../../worker/adapters/python/python-command.ts";
import { startWarmHost } from "../../../worker/adapters/python/warm-host.ts";
import type { SandboxExit } from "../../../worker/sandbox/process.ts";
import type { WarmSandbox } from "../../../worker/sandbox/warm-sandbox.ts";
import { openLevels } from "../sandbox/open-levels.ts";

const killed: SandboxExit = { code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null };
const code = { entrypoint: "main.py", code: {}, env: {}, preload: true, cpu_ms: 1_000 };

/** A sandbox whose first process says what the test says: the real one never breaks the rules. */
function openScriptedSandbox(): { sandbox: WarmSandbox; say: (bytes: Buffer) => void } {
  let end = (_exit: SandboxExit): void => {};
  const exited = new Promise<SandboxExit>((resolve) => (end = resolve));
  const kill = (): void => end(killed);
  const control = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return {
    say: (bytes) => void control.push(bytes),
    sandbox: {
      control,
      holdDescriptors: () => {},
      openDescriptor: () => {
        throw new Error("there is none");
      },
      protection: { two_ids: true, filter: null, has_egress: false },
      rlimits: () => ({}),
      usage: () => ({ cpu_ms: 0, memory_bytes: 0 }),
      cpuMs: () => 0,
      counts: () => ({ memory_kills: 0, refused_forks: 0 }),
      isMetered: true,
      listener: null,
      complaint: () => "",
      exited,
      kill,
    },
  };
}

const started = encodeControlFrame("S", Buffer.alloc(0));
const loaded = encodeControlFrame("L", Buffer.from('{"preloaded":true,"fault":null,"env_read":[]}'));
const tooLong = Buffer.from([0x53, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);

test.each<[string, Buffer[]]>([
  ["an answer that nobody asked for", [loaded]],
  ["the end of a run that never began", [started, encodeControlFrame("E", Buffer.alloc(22))]],
  ["a second answer", [started, loaded, loaded]],
  ["pipes before the code is loaded", [started, encodeControlFrame("P", Buffer.alloc(8))]],
  ["an unknown frame", [Buffer.from("?......."), started]],
  ["a frame that is longer than any", [tooLong]],
  ["100 MB of newlines", [Buffer.alloc(1 << 20, "\n")]],
  ["an answer that is no JSON", [started, encodeControlFrame("L", Buffer.from("E".repeat(64)))]],
  ["pipes that it doesn't have", [started, loaded, encodeControlFrame("P", Buffer.alloc(8, 0xff))]],
])("%s ends the sandbox, and is told as a breach", async (_, frames) => {
  const { sandbox, say } = openScriptedSandbox();
  const host = startWarmHost(sandbox, { runtime: Buffer.alloc(8), site: { venv: null, packages: null } });
  const loading = host.load(code).then(
    () => "loaded",
    () => "refused",
  );
  for (const frame of frames) {
    say(frame);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await loading).toBe("refused");
  expect(host.isGone()).toBe(true);
  expect(await host.exited).toMatchObject({ breach: expect.any(String) });
});

const machine = await openLevels();
const [sandbox] = machine.levels;
afterAll(() => machine.close());

describe.runIf(process.platform === "linux" && sandbox)("the first process of a warm sandbox", () => {
  test("does nothing when it is started by hand: it isn't pid 1, and would end all processes that it sees", async () => {
    if (!sandbox) return;
    const runtime = await compileRuntime(sandbox, machine.python);
    const bystander = spawn("/bin/sleep", ["30"], { stdio: "ignore" });
    const [file, ...args] = pythonArgv(machine.python, "pid_1");
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "ignore", "ignore", "ignore", "pipe"] });
    const control = child.stdio.at(5) as unknown as Duplex;
    control.on("error", () => {});
    control.write(runtimeHead(runtime));
    control.write(runtime);
    const [exitCode] = await once(child, "exit");
    expect(exitCode).toBe(1);
    expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    bystander.kill("SIGKILL");
  });
});
