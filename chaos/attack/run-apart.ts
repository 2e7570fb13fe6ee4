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

/** `main`: the path of this program's built main file. `user`: an ordinary one has one user id only. */
type Asked = {
  main: string;
  args: readonly string[];
  seed: number;
  env: Record<string, string | undefined>;
  user: "ordinary" | "own";
};

/** Runs the attacks in a process of their own, whose event loop and memory nothing else uses. Returns why levels are missing. */
export async function runApart(
  { main, args, seed, env, user }: Asked,
  signal: AbortSignal,
  onVerdict: (verdict: Verdict) => void,
): Promise<string[]> {
  const home = mkdtempSync("/var/tmp/runfleet-attack-");
  if (user === "ordinary") chownSync(home, ordinaryUid, ordinaryUid);
  const child = spawn(process.execPath, [main, ...args, "--seed", String(seed), "--as", "json"], {
    ...(user === "ordinary" && { uid: ordinaryUid, gid: ordinaryUid, cwd: "/" }),
    env: {
      PATH: env["PATH"],
      HOME: home,
      ...(user === "ordinary" && { TMPDIR: home }),
      ...(env["BWRAP"] && { BWRAP: env["BWRAP"] }),
    },
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
    if (unproven === null && !signal.aborted) throw new Error(`The attacks' process ended early, with code ${code}.`);
    return unproven ?? [];
  } finally {
    signal.removeEventListener("abort", end);
    // An attack may have left a path that is too long for Node; rm walks it step by step.
    execFileSync("rm", ["-rf", home]);
  }
}
