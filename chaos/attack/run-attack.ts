import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Attack } from "./attack.ts";
import type { Ground } from "./play/open-machine.ts";
import type { Played } from "./play/play-run.ts";
import { openPlayer } from "./play/players.ts";
import type { Beside } from "./watch/neighbour.ts";
import type { Noticed } from "./watch/watch-worker.ts";

/** What an attack did. `faults`: which promises it broke; none: it held. */
export type Verdict = {
  name: string;
  class: string;
  kind: string;
  level: string;
  faults: string[];
  /** Whether it broke nothing but what a crowded machine may break as well: how long something took. */
  isOnlySlow: boolean;
  story: string;
};

export type Watches = {
  /** Begins to look at the worker and the neighbour; the answer ends it. */
  watch(): () => Promise<Noticed & { beside: Beside }>;
};

/** How late a run may end: its sandbox has to be killed and read out. */
const graceMs = 1_000;
const mostBlockedMs = 50;
const mostGrownMb = 100;
/** Others' runs beside an attack, on a machine of two cores. */
const slowestMs = 2_000;
/** Idle code is weighed every second. */
const waitMs = 2_300;
/** What the program measures of its own time is a little more than the kernel does of its group's. */
const burntShare = 0.9;
const burntSlackMs = 20;

/** Plays one attack's steps at one level, and says which promises it broke. */
export async function runAttack(ground: Ground, who: string, attack: Attack, watches: Watches): Promise<Verdict> {
  const stop = watches.watch();
  const { told, probes, billedMs, ...found } = await playSteps(ground, attack);
  const noticed = await stop();
  const { blockedMs, beside } = noticed;
  const isCounted = ground.level === 3 || !attack.needsCgroup;
  const isShort = isCounted && billedMs < attack.burnsMs * burntShare - burntSlackMs;
  const faults = [
    ...found.faults,
    ...probes
      .slice(1)
      .filter((later) => !isDeepStrictEqual(later, probes[0]))
      .map((later) => `a later run differs: ${differences(probes[0], later)}`),
    ...(isShort ? [`${billedMs} ms were billed of at least ${attack.burnsMs}`] : []),
    ...faultsAround(noticed),
  ];
  const slow = [...found.slow, ...slownessAround(noticed)];
  const watched = `loop ${Math.round(blockedMs)} ms, neighbour ${Math.round(beside.slowestMs)} ms, ${billedMs} ms billed`;
  const mode = attack.mode === "standard" ? "" : `, ${attack.mode}`;
  return {
    name: attack.name,
    class: attack.class,
    kind: `${attack.kind}${mode}`,
    level: `${ground.level} ${who}`,
    faults: [...new Set([...faults, ...slow])],
    isOnlySlow: faults.length === 0 && slow.length > 0,
    story: `${told.join("; ")} (${watched})`,
  };
}

type Steps = { told: string[]; probes: unknown[]; billedMs: number; faults: string[]; slow: string[] };

async function playSteps(ground: Ground, attack: Attack): Promise<Steps> {
  const player = openPlayer(ground, attack);
  const found: Steps = { told: [], probes: [], billedMs: 0, faults: [], slow: [] };
  try {
    for (const step of attack.steps) {
      if (step === "wait") await sleep(waitMs);
      else note(attack, step, await player.play(step), found);
    }
  } catch (error) {
    found.faults.push(`the worker failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  await player.close().catch((error: Error) => found.faults.push(error.message));
  return found;
}

function note(attack: Attack, step: "probe" | "attack", played: Played, found: Steps): void {
  const { ending, tookMs, message, result, cpuMs } = played;
  found.billedMs += cpuMs ?? 0;
  found.told.push(`${step} ${tell(played)}`);
  if (tookMs > attack.timeoutMs + graceMs)
    found.slow.push(`a run took ${Math.round(tookMs)} ms of ${attack.timeoutMs}`);
  if (step === "probe" && ending === "succeeded") found.probes.push(result);
  const said = message === null ? "" : ` (${message.slice(0, 120)})`;
  if (step === "probe" && attack.isHonestOtherwise && ending !== "succeeded")
    found.faults.push(`an honest run of the version ended by '${ending}'${said}`);
  if (step === "attack" && !attack.ends.includes(ending))
    found.faults.push(`the attack ended by '${ending}'${said}: ${JSON.stringify(result)?.slice(0, 300)}`);
}

type Around = Noticed & { beside: Beside };

const faultsAround = ({ grownMb, beside }: Around): string[] => [
  ...(grownMb > mostGrownMb ? [`the worker grew by ${Math.round(grownMb)} MB`] : []),
  ...beside.failed.map((failed) => `a neighbour's run failed: ${failed}`),
];

const slownessAround = ({ blockedMs, beside }: Around): string[] => [
  ...(blockedMs > mostBlockedMs ? [`the event loop stood still for ${Math.round(blockedMs)} ms`] : []),
  ...(beside.slowestMs > slowestMs ? [`a neighbour's run took ${Math.round(beside.slowestMs)} ms`] : []),
];

function tell({ ending, message, tookMs, warm }: Played): string {
  const said = message === null ? "" : `: ${message.slice(0, 70)}`;
  return `${warm ? "warm " : ""}${ending}${said} ${Math.round(tookMs)} ms`;
}

/** The names of what isn't the same, with both values. */
function differences(one: unknown, other: unknown): string {
  const [a, b] = [one, other].map((value) => Object.entries(value ?? {})) as [[string, unknown][], [string, unknown][]];
  const found = new Map(b);
  return a
    .filter(([name, value]) => !isDeepStrictEqual(value, found.get(name)))
    .map(([name, value]) => `${name} ${JSON.stringify(value)} → ${JSON.stringify(found.get(name))}`)
    .join("; ")
    .slice(0, 600);
}
