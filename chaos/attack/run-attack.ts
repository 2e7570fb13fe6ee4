import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Attack } from "./attack.ts";
import type { LevelUnderTest } from "./run/open-levels.ts";
import type { Executed } from "./run/execute-run.ts";
import { openRunner, timeoutOf } from "./run/runners.ts";
import type { NeighbourRuns } from "./watch/neighbour.ts";
import type { WorkerUsage } from "./watch/watch-worker.ts";

/** What an attack did. `faults` are the promises that it broke. */
export type Verdict = {
  name: string;
  class: string;
  kind: string;
  level: string;
  faults: string[];
  /** True when every fault is one of time, which a crowded machine may cause as well. */
  isOnlySlow: boolean;
  summary: string;
};

export type Watches = {
  /** Begins to watch the worker and the neighbour. The returned function ends that. */
  watch(): () => Promise<WorkerUsage & { neighbourRuns: NeighbourRuns }>;
};

/** How late a run may end: its sandbox must be killed and its pipes read. */
const graceMs = 1_000;
const mostBusyMs = 50;
/** A start of a process keeps the loop until the kernel has let the child begin, which takes its time on a crowded machine. */
const mostStoodMs = 500;
const mostGrownMb = 100;
/** How long a neighbour's run may take during an attack, on a usual machine with two cores. */
const slowestMs = 2_000;
/** Idle code is measured every second. */
const waitMs = 2_300;
/** The CPU time that a program measures itself is a little more than what the kernel counts for its group. */
const burntShare = 0.9;
const burntSlackMs = 20;

/** Executes one attack's steps at one level, and returns which promises the attack broke. */
export async function runAttack(
  level: LevelUnderTest,
  who: string,
  attack: Attack,
  watches: Watches,
): Promise<Verdict> {
  const stop = watches.watch();
  const { log, probes, billedMs, wasCut, ...found } = await executeSteps(level, attack);
  const usage = await stop();
  const { busyMs, neighbourRuns } = usage;
  const isCounted = level.level === 3 || !attack.needsCgroup;
  const isShort = isCounted && billedMs < attack.burnsMs * burntShare - burntSlackMs;
  const unbilled = `${billedMs} ms were billed of at least ${attack.burnsMs}`;
  const faults = [
    ...found.faults,
    ...probes
      .slice(1)
      .filter((later) => !isDeepStrictEqual(later, probes[0]))
      .map((later) => `a later run differs: ${differences(probes[0], later)}`),
    ...(isShort && !wasCut ? [unbilled] : []),
    ...faultsAround(usage),
  ];
  const slow = [...found.slow, ...(isShort && wasCut ? [unbilled] : []), ...slownessAround(usage)];
  const watched = `loop ${Math.round(busyMs)} ms, neighbour ${Math.round(neighbourRuns.slowestMs)} ms, ${billedMs} ms billed`;
  const mode = attack.mode === "standard" ? "" : `, ${attack.mode}`;
  return {
    name: attack.name,
    class: attack.class,
    kind: `${attack.kind}${mode}`,
    level: `${level.level} ${who}`,
    faults: [...new Set([...faults, ...slow])],
    isOnlySlow: faults.length === 0 && slow.length > 0,
    summary: `${log.join("; ")} (${watched})`,
  };
}

/** `wasCut`: a run met its time limit, so it may have computed less than it would have. */
type Steps = {
  log: string[];
  probes: unknown[];
  billedMs: number;
  wasCut: boolean;
  faults: string[];
  slow: string[];
};

async function executeSteps(level: LevelUnderTest, attack: Attack): Promise<Steps> {
  const runner = openRunner(level, attack);
  const found: Steps = { log: [], probes: [], billedMs: 0, wasCut: false, faults: [], slow: [] };
  try {
    for (const step of attack.steps) {
      if (step === "wait") await sleep(waitMs);
      else note(attack, step, await runner.run(step), found);
    }
  } catch (error) {
    found.faults.push(`the worker failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  await runner.close().catch((error: Error) => found.faults.push(error.message));
  return found;
}

function note(attack: Attack, step: "probe" | "attack", played: Executed, found: Steps): void {
  const { ending, tookMs, result, cpuMs } = played;
  found.billedMs += cpuMs ?? 0;
  found.wasCut ||= ending === "timeout";
  found.log.push(`${step} ${describeRun(played)}`);
  const timeoutMs = timeoutOf(attack, step);
  if (tookMs > timeoutMs + graceMs) found.slow.push(`a run took ${Math.round(tookMs)} ms of ${timeoutMs}`);
  if (step === "probe" && ending === "succeeded") found.probes.push(result);
  const wrong = wrongEnding(attack, step, played);
  if (wrong !== null) (ending === "timeout" ? found.slow : found.faults).push(wrong);
}

/** Returns what is wrong with a run's ending; null when nothing is. */
function wrongEnding(attack: Attack, step: "probe" | "attack", { ending, message, result }: Executed): string | null {
  const said = message === null ? "" : ` (${message.slice(0, 120)})`;
  if (step === "probe")
    return attack.isHonestOtherwise && ending !== "succeeded"
      ? `an honest run of the version ended by '${ending}'${said}`
      : null;
  return attack.ends.includes(ending)
    ? null
    : `the attack ended by '${ending}'${said}: ${JSON.stringify(result)?.slice(0, 300)}`;
}

type Around = WorkerUsage & { neighbourRuns: NeighbourRuns };

const faultsAround = ({ grownMb, neighbourRuns }: Around): string[] => [
  ...(grownMb > mostGrownMb ? [`the worker grew by ${Math.round(grownMb)} MB`] : []),
  ...neighbourRuns.failed.map((failed) => `a neighbour's run failed: ${failed}`),
];

const slownessAround = ({ busyMs, stoodMs, slowness, neighbourRuns }: Around): string[] => [
  ...(busyMs > mostBusyMs ? [`the event loop was busy for ${Math.round(busyMs)} ms`] : []),
  ...(stoodMs > mostStoodMs ? [`the event loop stood still for ${Math.round(stoodMs)} ms`] : []),
  ...(neighbourRuns.slowestMs > slowestMs * slowness
    ? [`a neighbour's run took ${Math.round(neighbourRuns.slowestMs)} ms`]
    : []),
];

function describeRun({ ending, message, tookMs, warm }: Executed): string {
  const said = message === null ? "" : `: ${message.slice(0, 70)}`;
  return `${warm ? "warm " : ""}${ending}${said} ${Math.round(tookMs)} ms`;
}

/** Returns the names of all fields that differ, with both values. */
function differences(one: unknown, other: unknown): string {
  const [a, b] = [one, other].map((value) => Object.entries(value ?? {})) as [[string, unknown][], [string, unknown][]];
  const found = new Map(b);
  return a
    .filter(([name, value]) => !isDeepStrictEqual(value, found.get(name)))
    .map(([name, value]) => `${name} ${JSON.stringify(value)} → ${JSON.stringify(found.get(name))}`)
    .join("; ")
    .slice(0, 600);
}
