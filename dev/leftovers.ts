import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process by pid and start time: a pid alone may be somebody else's by now. */
type Recorded = { pid: number; started: string };

export type ProcessRecord = {
  /** Adds a process of ours, so that the next start can end it if this launcher is killed. */
  add(pid: number): void;
  clear(): void;
};

/**
 * Takes the data folder for this launcher. Ends what a killed one left running. Throws when another launcher is alive.
 */
export async function takeOver(dataDir: string): Promise<ProcessRecord> {
  const file = join(dataDir, "processes.json");
  const [launcher, ...children] = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recorded[]) : [];
  if (launcher && isAlive(launcher))
    throw new Error(`Another launcher runs on ${dataDir} already (pid ${launcher.pid}).`);
  await endAll(children);
  const record: Recorded[] = [{ pid: process.pid, started: startOf(process.pid) ?? "" }];
  const save = (): void => {
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  save();
  return {
    add(pid) {
      record.push({ pid, started: startOf(pid) ?? "" });
      save();
    },
    clear() {
      record.length = 0;
      save();
    },
  };
}

/** SIGTERM, and SIGKILL for what is still there after 5 s. */
async function endAll(children: Recorded[]): Promise<void> {
  const alive = children.filter(isAlive);
  for (const { pid } of alive) process.kill(pid, "SIGTERM");
  for (let waited = 0; waited < 5_000 && alive.some(isAlive); waited += 50) await sleep(50);
  for (const child of alive) if (isAlive(child)) process.kill(child.pid, "SIGKILL");
  while (alive.some(isAlive)) await sleep(20);
}

const isAlive = ({ pid, started }: Recorded): boolean => started !== "" && startOf(pid) === started;

/** When a process was started, in whatever form the system tells it; null when it is gone. A zombie is gone. */
function startOf(pid: number): string | null {
  if (process.platform === "linux") {
    try {
      // Fields after the name, which may hold spaces: state is the 1st, start time the 20th (proc(5)).
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      return fields[0] === "Z" ? null : (fields[19] ?? null);
    } catch {
      return null;
    }
  }
  return (
    spawnSync("ps", ["-o", "lstart=", "-p", String(pid)])
      .stdout.toString()
      .trim() || null
  );
}
