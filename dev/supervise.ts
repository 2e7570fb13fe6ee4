import { type ChildProcess, spawn } from "node:child_process";
import { gone } from "./child-process.ts";

export type Supervised = {
  /** Sends SIGTERM, and SIGKILL after `killAfterMs`. The process is not started again. */
  stop(killAfterMs: number): Promise<void>;
};

type Options = { env: NodeJS.ProcessEnv; output: "inherit" | number; onStart: (pid: number) => void };

const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
/** After a process that ran this long, the backoff begins anew. */
const stableMs = 30_000;

/** Runs a Node process, which is started again when it ends, each time after a longer wait. It ends with this process (IPC). */
export function supervise(script: string, { env, output, onStart }: Options): Supervised {
  let child: ChildProcess;
  let stopped = false;
  let backoff = firstBackoffMs;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    const startedAt = performance.now();
    // A process group of its own: a terminal's Ctrl-C reaches only the launcher, which ends the others in order.
    child = spawn(process.execPath, [script], { env, stdio: ["ignore", output, output, "ipc"], detached: true });
    if (child.pid) onStart(child.pid);
    child.once("exit", (code, signal) => {
      if (stopped) return;
      if (performance.now() - startedAt > stableMs) backoff = firstBackoffMs;
      process.stderr.write(`${script} ended (${signal ?? code}); it is started again in ${backoff} ms\n`);
      timer = setTimeout(start, backoff);
      backoff = Math.min(backoff * 2, maxBackoffMs);
    });
  }
  start();

  return {
    async stop(killAfterMs) {
      stopped = true;
      clearTimeout(timer);
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      await gone(child);
      clearTimeout(kill);
    },
  };
}
