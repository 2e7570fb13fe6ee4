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
  /** Where the process is noted, so that a later start can end it. */
  record: string;
  /** Each signal that asks it to end, with the milliseconds it is given; SIGKILL comes after them. */
  stopSignals: [NodeJS.Signals, number][];
};

/** A server that stands: what its users need of it. */
export type Service = {
  url: string;
  pid: number;
  /** Resolves when the process ends, for whatever reason, with that reason. */
  ended: Promise<string>;
  /** Idempotent; returns when the process is gone and its directory is free. */
  close(): Promise<void>;
};

export type ServiceProcess = Pick<Service, "pid" | "ended"> & {
  /** Idempotent; returns when the process is gone. */
  stop(): Promise<void>;
};

export class ServiceDidNotStart extends Error {
  override name = "ServiceDidNotStart";
  readonly lastLines: string;
  constructor(name: string, lastLines: string) {
    super(`${name} didn't start:\n${lastLines}`);
    this.lastLines = lastLines;
  }
}

/**
 * Starts a server and waits until it says that it is ready, up to 60 s (crash recovery can be slow). It gets an own session,
 * so that a terminal's Ctrl-C reaches the launcher only, which then stops things in order. Throws ServiceDidNotStart.
 */
export async function startService(command: ServiceCommand): Promise<ServiceProcess> {
  const child = spawn(command.file, command.args, {
    ...command.options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Before anything is awaited: a launcher killed from here on leaves a note of its child.
  if (child.pid !== undefined) recordProcess(command.record, child.pid);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // "close", not "exit": the last lines say why.
    child.once("close", (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
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
