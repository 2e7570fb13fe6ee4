import { writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { endProcess, identifyProcess, processIdentitySchema } from "./process-identity.ts";

/** Records a child in a file, so that a later start finds it if this launcher is killed. */
export function recordProcess(file: string, pid: number): void {
  const identity = identifyProcess(pid);
  if (identity) writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
}

/** Ends the process recorded in `file`, if it is still the same process, and removes the file. The caller holds the lock. */
export async function endRecordedProcess(file: string, signals: [NodeJS.Signals, number][]): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return;
  const identity = readIdentity(text);
  if (identity) await endProcess(identity, signals);
  await rm(file, { force: true });
}

/** Returns null for a malformed file: a launcher that is killed while it writes leaves half a file. */
function readIdentity(text: string) {
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
