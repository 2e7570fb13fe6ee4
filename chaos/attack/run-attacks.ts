import { readdirSync, readFileSync, statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, shuffled } from "../random.ts";
import type { Attack } from "./attack.ts";
import { attacks } from "./list-attacks.ts";
import { type Ground, openMachine } from "./play/open-machine.ts";
import { playRun } from "./play/play-run.ts";
import { requestFor } from "./play/request.ts";
import { runAttack, type Verdict, type Watches } from "./run-attack.ts";
import { keepRunning } from "./watch/neighbour.ts";
import { watchWorker } from "./watch/watch-worker.ts";

export type AttackOptions = {
  seed: number;
  /** How many of the attacks at each level; null: all. */
  count: number | null;
  /** A part of the names of those wanted. */
  only: string | null;
  /** Null: every level that this machine proves. */
  level: number | null;
  /** bubblewrap's path; undefined looks on PATH. */
  bwrap: string | undefined;
  searchPath: string;
};

/**
 * Plays the attacks at every level that this machine has for this process's user, one after another, beside a neighbour.
 * `tell` is given each verdict as it comes. Gives all of them, and why levels are missing.
 */
export async function runAttacks(
  options: AttackOptions,
  signal: AbortSignal,
  tell: (verdict: Verdict) => void = () => {},
): Promise<{ verdicts: Verdict[]; unproven: readonly string[] }> {
  const machine = await openMachine(options.bwrap, options.searchPath);
  const who = process.getuid?.() === 0 ? "root" : "user";
  const verdicts: Verdict[] = [];
  try {
    for (const sandbox of machine.levels) {
      if (options.level !== null && sandbox.report.level !== options.level) continue;
      const ground = await machine.open(sandbox);
      await warmUp(ground);
      const watch = openWatch(ground);
      for (const attack of choose(options, ground)) {
        signal.throwIfAborted();
        const verdict = await judge(() => runAttack(ground, who, attack, watch));
        verdicts.push(verdict);
        tell(verdict);
      }
      watch.close();
      await ground.close();
      const left = await findLeft();
      if (left !== null) throw new Error(`Level ${ground.level} left processes behind: ${left}`);
    }
    return { verdicts, unproven: machine.unproven };
  } finally {
    await machine.close();
  }
}

/** What each attack is watched by. */
function openWatch(ground: Ground): Watches & { close(): void } {
  const worker = watchWorker();
  return {
    watch() {
      const stop = keepRunning(() => playNeighbour(ground));
      const looking = setInterval(lookAtEverybody, lookMs);
      worker.start();
      return async () => {
        clearInterval(looking);
        const noticed = worker.stop();
        return { ...noticed, beside: await stop() };
      };
    },
    close: () => worker.close(),
  };
}

const deathMs = 5_000;

/** The processes that came of this one and are still there when all has been closed; null when there are none. */
async function findLeft(): Promise<string | null> {
  const until = performance.now() + deathMs;
  for (;;) {
    const left = readdirSync("/proc/self/task")
      .map((task) => readFileSync(`/proc/self/task/${task}/children`, "latin1").trim())
      .filter(Boolean)
      .join(" ");
    if (left === "") return null;
    if (performance.now() > until) return left;
    await sleep(50);
  }
}

const lookMs = 100;

/** What a machine's monitor does, or any user's `ss -p`. */
function lookAtEverybody(): void {
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name)) statSync(`/proc/${name}/fd`, { throwIfNoEntry: false });
}

/** What took too long is tried again: only what does so each time isn't the machine's. */
async function judge(play: () => Promise<Verdict>): Promise<Verdict> {
  let verdict = await play();
  for (let again = 0; again < 2 && verdict.isOnlySlow; again += 1) verdict = await play();
  return verdict;
}

function choose({ seed, count, only }: AttackOptions, ground: Ground): Attack[] {
  const fit = attacks.filter(
    ({ levels, name, kind }) =>
      levels.includes(ground.level) && (only === null || `${name} ${kind}`.includes(only)) && canRun(ground, kind),
  );
  return count === null ? fit : shuffled(fit, createRandom(`${seed}/${ground.level}`)).slice(0, count);
}

const canRun = (ground: Ground, kind: Attack["kind"]): boolean =>
  !kind.startsWith("node") || ground.adapters.has("node");

const neighbour = {
  name: "neighbour",
  kind: "python",
  mode: "standard",
  program: "def attack(input): return 'as ever'",
  timeoutMs: 20_000,
  inputBytes: 0,
  cpuMs: 10_000,
} as const;

/** What was wrong with an honest run of somebody else's; null: nothing. */
async function playNeighbour(ground: Ground): Promise<string | null> {
  const adapter = ground.adapters.get("python");
  if (!adapter) return "no Python";
  const { result, ending, message } = await playRun(
    (signal) => adapter.run(requestFor(neighbour, "attack"), signal),
    neighbour.timeoutMs,
  );
  return result === "as ever" ? null : `${ending} ${message ?? ""}`;
}

/** The first runs of a worker compile what they run by. */
async function warmUp(ground: Ground): Promise<void> {
  for (let round = 0; round < 3; round += 1) await playNeighbour(ground);
}
