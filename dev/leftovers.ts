import { renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lockDirectory } from "./lock-directory.ts";
import { endProcess, identifyProcess, type ProcessIdentity, processIdentitySchema } from "./process-identity.ts";

export type ProcessRecord = {
  /** Records a child process. If this launcher is killed, the next one ends the recorded processes. */
  add(pid: number): void;
  /** To be called when all have ended. Clears the record and releases the data folder. */
  clear(): Promise<void>;
};

/**
 * Locks the data folder for this launcher, and ends the API and workers that a killed launcher left running. (`startPostgres`
 * and `startRedis` end their own leftovers.) Throws when another launcher is alive.
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

/** Returns [] for a missing file, and for a malformed one, which may be of another version. */
async function readLeft(file: string): Promise<ProcessIdentity[]> {
  try {
    return z.array(processIdentitySchema).parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return [];
  }
}
