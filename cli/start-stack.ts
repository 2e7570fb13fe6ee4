import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Fault } from "./exit-codes.ts";

/** The launcher of the whole service, where this package has it. */
const launcher = fileURLToPath(new URL("../dev/main.js", import.meta.url));

export const hasLauncher = (): boolean => existsSync(launcher);

type Where = { env: NodeJS.ProcessEnv; port: string };

/** What the service keeps: the user's own folder, so that every folder's agents are in one service. */
function dataFolder(env: NodeJS.ProcessEnv): string {
  const folder = env["DATA_DIR"] || join(env["XDG_DATA_HOME"] || join(homedir(), ".local/share"), "runfleet");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Starts the service on this machine. Its output goes to a file, or to this terminal. */
export function startStack({ env, port }: Where, output: "inherit" | "log"): { child: ChildProcess; log: string } {
  if (!hasLauncher())
    throw new Fault("unreachable", "This installation has no service. Name one by --url or RUNFLEET_URL.");
  const folder = dataFolder(env);
  const log = join(folder, "service.log");
  const to = output === "inherit" ? "inherit" : openSync(log, "a", 0o600);
  const child = spawn(process.execPath, [launcher], {
    env: { ...env, DATA_DIR: folder, PORT: port },
    // The channel ends with this command, however it ends, and the service with the channel.
    stdio: ["ignore", to, to, "ipc"],
    // A Ctrl-C of this terminal ends the command first, which then ends the service.
    detached: output === "log",
  });
  return { child, log };
}

type Started = ReturnType<typeof startStack>;

/** Waits until a service answers. Throws Fault when its process ends before. */
export async function untilReady(url: string, { child, log }: Started, onWait: () => void): Promise<void> {
  while (!(await answers(`${url}/health/ready`))) {
    onWait();
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Fault("unreachable", `The service could not be started: its log is ${log}.`);
    await sleep(100);
  }
}

export const answers = async (url: string): Promise<boolean> => (await fetch(url).catch(() => null))?.ok === true;
