import { readdirSync, readFileSync, statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, shuffled } from "../random.ts";
import type { Attack } from "./attack.ts";
import { attacks } from "./list-attacks.ts";
import { type LevelUnderTest, openLevels } from "./run/open-levels.ts";
import { executeRun } from "./run/execute-run.ts";
import { requestFor } from "./run/request.ts";
import { runAttack, type Verdict, type Watches } from "./run-attack.ts";
import { keepRunning } from "./watch/neighbour.ts";
import { watchWorker } from "./watch/watch-worker.ts";

export type AttackOptions = {
  seed: number;
  /** How many of the attacks are tried at each level; null for all. */
  count: number | null;
  /** Only attacks whose name contains this text. */
  only: string | null;
  /** Null for every level that this machine proves. */
  level: number | null;
  /** bubblewrap's path; undefined to search `searchPath`. */
  bwrap: string | undefined;
  searchPath: string;
};

/**
 * Runs the attacks at every level that holds for this process's user, one after another, while a neighbour's runs go on.
 * `onVerdict` is called for each verdict. Returns all verdicts, and why levels are missing.
 */
export async function runAttacks(
  options: AttackOptions,
  signal: AbortSignal,
  onVerdict: (verdict: Verdict) => void = () => {},
): Promise<{ verdicts: Verdict[]; unproven: readonly string[] }> {
  const before = new Set(listChildren());
  const opened = await openLevels(options.bwrap, options.searchPath);
  const who = process.getuid?.() === 0 ? "root" : "user";
  const verdicts: Verdict[] = [];
  try {
    for (const sandbox of opened.levels) {
      if (options.level !== null && sandbox.report.level !== options.level) continue;
      const level = await opened.open(sandbox);
      await warmUp(level);
      const watch = openWatch(level);
      for (const attack of choose(options, level)) {
        signal.throwIfAborted();
        const verdict = await judge(() => runAttack(level, who, attack, watch));
        verdicts.push(verdict);
        onVerdict(verdict);
      }
      watch.close();
      await level.close();
      const left = await findLeft(before);
      if (left !== null) throw new Error(`Level ${level.level} left processes behind: ${left}`);
    }
    return { verdicts, unproven: opened.unproven };
  } finally {
    await opened.close();
  }
}

/** Watches the worker and the neighbour during each attack. */
function openWatch(level: LevelUnderTest): Watches & { close(): void } {
  const worker = watchWorker();
  return {
    watch() {
      const stop = keepRunning(() => runNeighbour(level));
      const monitoring = setInterval(listProcesses, monitorMs);
      worker.start();
      return async () => {
        clearInterval(monitoring);
        const usage = worker.stop();
        return { ...usage, neighbourRuns: await stop() };
      };
    },
    close: () => worker.close(),
  };
}

const deathMs = 5_000;

/** Returns this process's children that are left after everything was closed, but for those `before`; null when there are none. */
async function findLeft(before: ReadonlySet<string>): Promise<string | null> {
  const until = performance.now() + deathMs;
  for (;;) {
    const left = listChildren().filter((pid) => !before.has(pid));
    if (left.length === 0) return null;
    if (performance.now() > until) return left.map(describeProcess).join(", ");
    await sleep(50);
  }
}

/** The ids of this process's children: of other tests too, whose process this is. */
const listChildren = (): string[] =>
  readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "latin1").split(" ").filter(Boolean),
  );

const describeProcess = (pid: string): string => {
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200);
  return `${pid} (${command.trim() || "a zombie"})`;
};

const monitorMs = 100;

/** Does what a machine's monitor does, or any user's `ss -p`. */
function listProcesses(): void {
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name)) statSync(`/proc/${name}/fd`, { throwIfNoEntry: false });
}

/** Tries an attack again when something only took too long: a fault of time counts when it comes each time. */
async function judge(run: () => Promise<Verdict>): Promise<Verdict> {
  let verdict = await run();
  for (let again = 0; again < 2 && verdict.isOnlySlow; again += 1) verdict = await run();
  return verdict;
}

function choose({ seed, count, only }: AttackOptions, level: LevelUnderTest): Attack[] {
  const fit = attacks.filter(
    ({ levels, name, kind }) =>
      levels.includes(level.level) && (only === null || `${name} ${kind}`.includes(only)) && canRun(level, kind),
  );
  return count === null ? fit : shuffled(fit, createRandom(`${seed}/${level.level}`)).slice(0, count);
}

const canRun = (level: LevelUnderTest, kind: Attack["kind"]): boolean =>
  !kind.startsWith("node") || level.adapters.has("node");

const neighbour = {
  name: "neighbour",
  kind: "python",
  mode: "standard",
  program: "def attack(input): return 'as ever'",
  timeoutMs: 20_000,
  inputBytes: 0,
  cpuMs: 10_000,
} as const;

/** Executes an honest run of another user. Returns what was wrong with it, or null. */
async function runNeighbour(level: LevelUnderTest): Promise<string | null> {
  const adapter = level.adapters.get("python");
  if (!adapter) return "no Python";
  const { result, ending, message } = await executeRun(
    (signal) => adapter.run(requestFor(neighbour, "attack"), signal),
    neighbour.timeoutMs,
  );
  return result === "as ever" ? null : `${ending} ${message ?? ""}`;
}

/** The first runs of a worker are slower, since V8 compiles their code. */
async function warmUp(level: LevelUnderTest): Promise<void> {
  for (let round = 0; round < 3; round += 1) await runNeighbour(level);
}
