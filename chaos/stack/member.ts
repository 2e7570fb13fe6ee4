import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** An API or worker process, which is started again whenever it ends, as by a supervisor. */
export type Member = {
  name: string;
  /** Resolves when the current process, or its successor, is ready. */
  ready(): Promise<void>;
  isReady(): boolean;
  /** Returns a worker's id, as in its claims; null until the worker is ready. */
  workerId(): string | null;
  /** Returns the current process' id. */
  pid(): number | undefined;
  /** Sends a signal to the process itself. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when the current process has ended. */
  gone(): Promise<void>;
  /** Returns how often a process that was ready ended by itself, not by `signal`. */
  surprises(): number;
  close(): Promise<void>;
};

export type MemberOptions = {
  name: string;
  /** A command that the process is started through, such as one that enters a namespace. It must become the process. */
  through?: readonly [string, ...string[]];
  /** Node's arguments. */
  command: readonly string[];
  env: Record<string, string | undefined>;
  logFile: string;
  /** Matches the log line that says that the process is ready. */
  ready: RegExp;
};

const restartMs = 200;

export function startMember({ name, through, command, env, logFile, ready }: MemberOptions): Member {
  let child: ChildProcess;
  let gone: Promise<void>;
  let workerId: string | null = null;
  let isReady = false;
  let askedToEnd = false;
  let surprises = 0;
  let closed = false;
  const waiting: (() => void)[] = [];

  function start(): void {
    isReady = false;
    askedToEnd = false;
    workerId = null;
    const [program, ...args] = through
      ? ([...through, process.execPath, ...command] as const)
      : ([process.execPath, ...command] as const);
    const started = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    child = started;
    const onLine = (line: string): void => {
      appendFileSync(logFile, `${name} ${line}\n`);
      if (child !== started || isReady || !ready.test(line)) return;
      workerId = /"worker_id":"([^"]+)"/.exec(line)?.[1] ?? null;
      isReady = true;
      for (const resolve of waiting.splice(0)) resolve();
    };
    createInterface({ input: started.stdout }).on("line", onLine);
    createInterface({ input: started.stderr }).on("line", onLine);
    gone = new Promise((resolve) => {
      started.once("exit", (code, signal) => {
        appendFileSync(logFile, `${name} ended (${signal ?? code})\n`);
        // A process that finds no Postgres or Redis as it starts ends, and is started again.
        if (!askedToEnd && isReady) surprises += 1;
        isReady = false;
        resolve();
        if (!closed) void sleep(restartMs).then(() => (closed ? undefined : start()));
      });
    });
  }
  start();

  return {
    name,
    ready: () => (isReady ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    isReady: () => isReady,
    workerId: () => workerId,
    pid: () => child.pid,
    signal(signal) {
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") askedToEnd = true;
      child.kill(signal);
    },
    gone: () => gone,
    surprises: () => surprises,
    async close() {
      closed = true;
      askedToEnd = true;
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), 8_000);
      await gone;
      clearTimeout(kill);
    },
  };
}
