import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Verdict } from "./run-attack.ts";

/** A uid without an account, which owns nothing on the machine. It is below those of sandboxes. */
const ordinaryUid = 60_990;

const line = z.union([
  z.object({
    name: z.string(),
    class: z.string(),
    kind: z.string(),
    level: z.string(),
    faults: z.array(z.string()),
    isOnlySlow: z.boolean(),
    summary: z.string(),
  }),
  z.object({ unproven: z.array(z.string()) }),
]);

/** `main`: the path of this program's built main file. */
type Asked = { main: string; args: readonly string[]; seed: number; env: Record<string, string | undefined> };

/** Runs the attacks again in a process of an ordinary user, which has one user id only. Returns why levels are missing. */
export async function runAsUser(
  { main, args, seed, env }: Asked,
  signal: AbortSignal,
  onVerdict: (verdict: Verdict) => void,
): Promise<string[]> {
  const home = mkdtempSync("/var/tmp/runfleet-attack-user-");
  chownSync(home, ordinaryUid, ordinaryUid);
  const child = spawn(process.execPath, [main, ...args, "--seed", String(seed), "--as", "json"], {
    uid: ordinaryUid,
    gid: ordinaryUid,
    cwd: "/",
    env: { PATH: env["PATH"], HOME: home, TMPDIR: home, ...(env["BWRAP"] ? { BWRAP: env["BWRAP"] } : {}) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = (): void => void child.kill();
  signal.addEventListener("abort", end, { once: true });
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  let unproven: string[] | null = null;
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const said = line.parse(JSON.parse(text));
      if ("unproven" in said) ({ unproven } = said);
      else onVerdict(said);
    }
    const code = await exited;
    if (unproven === null && !signal.aborted)
      throw new Error(`The ordinary user's process ended early, with code ${code}.`);
    return unproven ?? [];
  } finally {
    signal.removeEventListener("abort", end);
    // An attack may have left a path that is too long for Node; rm walks it step by step.
    execFileSync("rm", ["-rf", home]);
  }
}
