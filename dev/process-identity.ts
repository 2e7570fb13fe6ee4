import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** Identifies a process for later. A bare pid may be another process's by then. */
export const processIdentitySchema = z.object({ pid: z.number().int().positive(), started: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** Returns the process that has this pid now; null when there is none, or a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const started = process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
  return started === null ? null : { pid, started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

/** Sends each signal in turn, waiting `waitMs` after it, until the process is gone. Ends by SIGKILL. */
export async function endProcess(identity: ProcessIdentity, signals: [NodeJS.Signals, number][]): Promise<void> {
  for (const [signal, waitMs] of [...signals, ["SIGKILL", 2_000] as const]) {
    if (!isAlive(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      if (!isAlive(identity)) return;
      throw new Error(`can't end process ${identity.pid}`, { cause: error });
    }
    const until = performance.now() + waitMs;
    while (performance.now() < until && isAlive(identity)) await sleep(20);
  }
}

/** proc(5): field 22 of `stat` is the start time in ticks since boot. The boot id makes it unique across reboots. */
function startOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[19]}`;
  } catch {
    return null;
  }
}

function startByPs(pid: number): string | null {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+\s+/, "");
  } catch {
    return null;
  }
}
