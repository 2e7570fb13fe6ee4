import { type ChildProcess, execFile, spawn } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** A WebAssembly module whose `f(n)` counts down from n. */
const countdown = "AGFzbQEAAAABBQFgAX8AAwIBAAcFAQFmAAAKEAEOAANAIABBAWsiAA0ACws=";

/** Writes whether the first compiler's code for `f` is still the one that runs, after some rounds at most. */
const program = (within: string, rounds: number): string => `
  import { runProcess } from ${JSON.stringify(resolve("dist/shared/platform/lifecycle/run-process.js"))};
  async function work() {
    const { instance: { exports: { f } } } = await WebAssembly.instantiate(Buffer.from("${countdown}", "base64"));
    let round = 0;
    do {
      f(5_000_000);
      await new Promise((next) => setTimeout(next, 5));
    } while (%IsLiftoffFunction(f) && ++round < ${rounds});
    process.stdout.write(String(%IsLiftoffFunction(f)));
  }
  await ${within};
`;

async function isCompiledOnce(...[within, rounds]: Parameters<typeof program>): Promise<boolean> {
  const args = ["--allow-natives-syntax", "--input-type=module", "--eval", program(within, rounds)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout === "true";
}

test("a process of the service leaves WebAssembly to V8's first compiler, also where it is hot", async () => {
  expect(await isCompiledOnce("runProcess(work)", 50)).toBe(true);
  // Else V8 compiles it again.
  expect(await isCompiledOnce("work()", 5_000)).toBe(false);
});

const waits = (before: string): string => `
  import { aborted, runProcess } from ${JSON.stringify(resolve("dist/shared/platform/lifecycle/run-process.js"))};
  ${before}
  await runProcess(async (signal) => {
    process.stdout.write("waits");
    const stay = setInterval(() => undefined, 60_000);
    await aborted(signal);
    clearInterval(stay);
    process.stdout.write(" closed");
  });
`;

/** Returns the exit code and the output of a process that waits for its signal; `onOutput` is called when it does. */
async function endOf(child: ChildProcess, onOutput = (): void => undefined): Promise<[unknown, string]> {
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    if (said === "") onOutput();
    said += chunk.toString();
  });
  // Node tells no "close" of a child whose channel was cut here.
  const [code] = await Promise.all([
    new Promise((done) => child.once("exit", done)),
    new Promise((done) => child.stdout?.once("close", done)),
  ]);
  return [code, said];
}

const start = (text: string, channel: "ipc"[] = []): ChildProcess =>
  spawn(process.execPath, ["--input-type=module", "--eval", text], {
    stdio: ["ignore", "pipe", "inherit", ...channel],
  });

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "a process of the service closes in order at %s, as when its terminal is closed",
  async (signal) => {
    const child = start(waits(""));
    expect(await endOf(child, () => child.kill(signal))).toEqual([0, "waits closed"]);
  },
);

test("it ends with the process that started it, also where that one died while it was loading", async () => {
  const child = start(waits(""), ["ipc"]);
  expect(await endOf(child, () => child.disconnect())).toEqual([0, "waits closed"]);
  const late = start(waits("while (process.connected) await new Promise((done) => setTimeout(done, 10));"), ["ipc"]);
  late.disconnect();
  expect(await endOf(late)).toEqual([0, "waits closed"]);
});

test("one that hangs while it closes is ended by a signal, whatever its close began with", async () => {
  const hangs = `
    import { aborted, runProcess } from ${JSON.stringify(resolve("dist/shared/platform/lifecycle/run-process.js"))};
    await runProcess(async (signal) => {
      process.stdout.write("waits");
      setInterval(() => undefined, 60_000);
      await aborted(signal);
      // A signal counts that comes a second later.
      setTimeout(() => process.stdout.write(" hangs"), 1_100);
      await new Promise(() => undefined);
    });
  `;
  const child = start(hangs, ["ipc"]);
  child.stdout?.on("data", (chunk: Buffer) => void (chunk.toString().includes("hangs") && child.kill("SIGTERM")));
  expect(await endOf(child, () => child.disconnect())).toEqual([1, "waits hangs"]);
});
