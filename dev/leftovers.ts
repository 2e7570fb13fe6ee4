import { renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lockDirectory } from "./lock-directory.ts";
import { endProcess, identifyProcess, type ProcessIdentity, processIdentitySchema } from "./process-identity.ts";

export type ProcessRecord = {
  /** Adds a process of ours, so that the next start can end it if this launcher is killed. */
  add(pid: number): void;
  /** All have ended: forgets them and gives the data folder back. */
  clear(): Promise<void>;
};

/**
 * Takes the data folder for this launcher, and ends the API and workers that a killed one left running (Postgres and Redis
 * see to themselves). Throws when another launcher is alive.
 */
export async function takeOver(dataDir: string): Promise<ProcessRecord> {
  const lock = await lockDirectory(dataDir);
  const file = join(dataDir, "processes.json");
  const left = await readLeft(file);
  await Promise.all(left.map((identity) => endProcess(identity, [["SIGTERM", 5_000]])));
  const record: ProcessIdentity[] = [];
  const save = (): void => {
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    add(pid) {
      const identity = identifyProcess(pid);
      if (identity) record.push(identity);
      save();
    },
    async clear() {
      record.length = 0;
      save();
      await lock.release();
    },
  };
}

/** Empty where there is nothing, or nothing readable: a file of another version. */
async function readLeft(file: string): Promise<ProcessIdentity[]> {
  try {
    return z.array(processIdentitySchema).parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return [];
  }
}
