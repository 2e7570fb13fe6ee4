import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { endRecordedProcess, recordProcess } from "./recorded-process.ts";

export type ServiceCommand = {
  name: string;
  file: string;
  args: string[];
  options: Pick<SpawnOptions, "env" | "uid" | "gid" | "cwd">;
  /** Matches the line (stdout or stderr) by which the service says that it accepts connections. */
  ready: RegExp;
  /** The file that the process is recorded in, so that a later start can end it. */
  record: string;
  /** Signals that ask the process to end, each with the ms to wait after it. SIGKILL comes last. */
  stopSignals: [NodeJS.Signals, number][];
};

/** A running server. */
export type Service = {
  url: string;
  pid: number;
  /** Resolves with the reason when the process ends. */
  ended: Promise<string>;
  /** Resolves when the process is gone and its directory is free. Idempotent. */
  close(): Promise<void>;
};

export type ServiceProcess = Pick<Service, "pid" | "ended"> & {
  /** Resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
};

export class ServiceDidNotStart extends Error {
  override name = "ServiceDidNotStart";
  readonly lastLines: string;
  constructor(name: string, lastLines: string) {
    super(`${name} did not start:\n${lastLines}`);
    this.lastLines = lastLines;
  }
}

/**
 * Starts a server and waits until it is ready, up to 60 s, since crash recovery can be slow. The server has a session of its
 * own, so that a terminal's Ctrl-C reaches only the launcher, which then stops everything in order. Throws ServiceDidNotStart.
 */
export async function startService(command: ServiceCommand): Promise<ServiceProcess> {
  const child = spawn(command.file, command.args, {
    ...command.options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Recorded before anything is awaited, so that a launcher that is killed from here on leaves a record of its child.
  if (child.pid !== undefined) recordProcess(command.record, child.pid);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // "close", not "exit", so that the last lines are read: they say why.
    child.once("close", (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
  // A launcher that ends without closing, as at a second Ctrl-C, leaves no server.
  const endWithLauncher = (): void => void child.kill(command.stopSignals[0]?.[0]);
  process.once("exit", endWithLauncher);
  void ended.then(() => process.off("exit", endWithLauncher));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= endRecordedProcess(command.record, command.stopSignals));
  const lastLines: string[] = [];
  const ready = new Promise<"ready">((resolve) => {
    readLines(child, (line) => {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      if (command.ready.test(line)) resolve("ready");
    });
  });
  const limit = timeLimit(60_000);
  const outcome = await Promise.race([ready, ended, limit.passed]);
  limit.clear();
  if (outcome !== "ready") {
    await stop();
    throw new ServiceDidNotStart(command.name, [...lastLines, outcome].join("\n"));
  }
  return { pid: child.pid ?? 0, stop, ended };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const input of [child.stdout, child.stderr]) if (input) createInterface({ input }).on("line", onLine);
}

function timeLimit(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not ready after ${ms / 1000} s`), ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
