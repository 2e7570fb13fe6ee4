import { writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { endProcess, identifyProcess, processIdentitySchema } from "./process-identity.ts";

/** Notes a child in a file, so that a later start finds what a killed launcher left running. */
export function recordProcess(file: string, pid: number): void {
  const identity = identifyProcess(pid);
  if (identity) writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
}

/** Ends the process noted in `file` if it is still the same one, then forgets it. The caller holds the lock. */
export async function endRecordedProcess(file: string, signals: [NodeJS.Signals, number][]): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return;
  const identity = readIdentity(text);
  if (identity) await endProcess(identity, signals);
  await rm(file, { force: true });
}

/** A launcher killed while it wrote leaves half a file: then nothing is known of the child. */
function readIdentity(text: string) {
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
