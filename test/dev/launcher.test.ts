import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../../dev/free-port.ts";
import { identifyProcess } from "../../dev/process-identity.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { waitFor } from "../harness/wait-for.ts";

type Launcher = { child: ChildProcess; said: () => string; exit: Promise<number | null> };

let dataDir = "";
let port = 0;
let launchers: Launcher[] = [];

// One directory for all tests: making a cluster takes longer than what they start on it.
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "runfleet-test-"));
  chmodSync(dataDir, 0o711);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

beforeEach(async () => {
  port = await freePort();
  launchers = [];
});

afterEach(async () => {
  for (const { child, exit } of launchers) {
    child.kill("SIGTERM");
    await exit;
  }
});

/** What `npm run dev` runs, from the build. */
function launch(env: Record<string, string> = {}): Launcher {
  const child = spawn(process.execPath, [resolve("dist/dev/main.js")], {
    env: { PATH: readEnv()["PATH"], DATA_DIR: dataDir, PORT: String(port), WORKERS: "1", LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  const exit = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const launcher = { child, said: () => said.join(""), exit };
  launchers.push(launcher);
  return launcher;
}

const ready = (launcher: Launcher) =>
  waitFor(() => {
    if (launcher.child.exitCode !== null) throw new Error(launcher.said());
    return launcher.said().includes("is ready");
  }, 25_000);

const pidIn = (file: string): number => (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
const members = (): number[] =>
  (JSON.parse(readFileSync(join(dataDir, "processes.json"), "utf8")) as { pid: number }[]).map(({ pid }) => pid);
const services = (): number[] => ["postgres", "redis"].map((name) => pidIn(join(dataDir, name, "process.json")));
const alive = (pids: number[]): number[] => pids.filter((pid) => identifyProcess(pid) !== null);

test("SIGTERM ends every process within 10 s and leaves no lock, and a worker that died was replaced", async () => {
  const launcher = launch();
  await ready(launcher);
  const [, worker = 0] = members();
  process.kill(worker, "SIGKILL");
  await waitFor(() => members().length === 3 && alive(members()).length === 2);
  const all = [...members(), ...services()];
  const begun = performance.now();
  launcher.child.kill("SIGTERM");
  expect(await launcher.exit).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(alive(all)).toEqual([]);
  expect(["lock", "postgres/lock", "redis/lock"].filter((name) => existsSync(join(dataDir, name)))).toEqual([]);
});

test("a killed launcher takes its API and workers with it, and the next start recovers with the same keys", async () => {
  const first = launch();
  await ready(first);
  const left = members();
  const orphans = services();
  const keys = readFileSync(join(dataDir, "encryption-keys"), "utf8");
  first.child.kill("SIGKILL");
  await first.exit;
  await waitFor(() => alive(left).length === 0, 15_000);
  await ready(launch());
  expect(alive(orphans)).toEqual([]);
  expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  expect(readFileSync(join(dataDir, "encryption-keys"), "utf8")).toBe(keys);
});

test("a launcher that is ended once more while it closes leaves no server", async () => {
  const launcher = launch();
  await ready(launcher);
  const all = [...members(), ...services()];
  const [api = 0] = members();
  // So closing takes seconds.
  process.kill(api, "SIGSTOP");
  await waitFor(() => launcher.child.exitCode !== null || !launcher.child.kill("SIGTERM"), 20_000);
  process.kill(api, "SIGCONT");
  expect(await launcher.exit).toBe(1);
  await waitFor(() => alive(all).length === 0, 15_000);
});

test("the service that runfleet dev starts ends with it, however it ends", async () => {
  const folder = join(dataDir, "agent");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.py"), "def main(input): return 1");
  writeFileSync(join(folder, "runfleet.json"), JSON.stringify({ agent: "dev-agent" }));
  const dev = spawn(process.execPath, [resolve("dist/cli/main.js"), "dev", folder, "--no-run"], {
    env: { PATH: readEnv()["PATH"], DATA_DIR: dataDir, RUNFLEET_URL: `http://127.0.0.1:${port}`, WORKERS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const published = new Promise((done) => dev.stdout.once("data", done));
  await Promise.race([published, new Promise((_, fail) => dev.once("exit", fail))]);
  const all = [...members(), ...services()];
  expect(alive(all)).toEqual(all);
  dev.kill("SIGKILL");
  await waitFor(() => alive(all).length === 0, 15_000);
  // The launcher ends after its members.
  await waitFor(() => !existsSync(join(dataDir, "lock")), 15_000);
}, 90_000);

test("a second launcher on the same data says that one is running, and leaves that one alone", async () => {
  const first = launch();
  await ready(first);
  const second = launch({ PORT: String(await freePort()) });
  expect(await second.exit).toBe(1);
  expect(second.said()).toContain(`process ${first.child.pid} is running on it already`);
  expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
});

test("a port that is taken is one clear sentence", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(port, "127.0.0.1", done));
  const launcher = launch();
  expect(await launcher.exit).toBe(1);
  expect(launcher.said()).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(launcher.said().trim().split("\n")).toHaveLength(1);
  await new Promise((done) => other.close(done));
});

test("a SIGTERM to npm itself ends the stack, and leaves nobody behind", async () => {
  const npm = spawn("npm", ["run", "dev", "--ignore-scripts"], {
    env: { PATH: readEnv()["PATH"], DATA_DIR: dataDir, PORT: String(port), WORKERS: "0", LOG_LEVEL: "error" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  // It is open for as long as any process of the stack is.
  const ended = new Promise((resolve) => npm.stdout.once("close", resolve));
  let said = "";
  npm.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await waitFor(async () => said.includes("is ready"), 30_000);
  npm.kill("SIGTERM");
  await ended;
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow("fetch failed");
}, 60_000);
