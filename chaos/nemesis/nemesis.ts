import { setTimeout as sleep } from "node:timers/promises";
import { type Random, shuffled } from "../random.ts";
import type { Member } from "../stack/member.ts";
import type { ChaosStack } from "../stack/open-stack.ts";
import { type FaultName, faultsByName } from "./faults.ts";

/** A fault that happened; times in epoch ms. `worker_id`: the id that the struck worker's claims have. */
export type Struck = {
  fault: FaultName | "link_cut";
  target: string;
  worker_id: string | null;
  from: number;
  to: number;
};

export type NemesisOptions = {
  stack: ChaosStack;
  random: Random;
  runs: number;
  /** Returns how many runs have begun. The faults are spread evenly over all runs. */
  begun: () => number;
  signal: AbortSignal;
};

type Blow = { target: string; worker_id: string | null; strike: () => Promise<void> };

const atOnce = 4;

/** Breaks the stack again and again, in an order that only the seed decides. Resolves when everything works again. */
export async function runNemesis(options: NemesisOptions): Promise<Struck[]> {
  const { random, runs, begun, signal } = options;
  const deck = shuffled(deal(runs), random);
  const struck: Struck[] = [];
  const broken = new Set<string>();
  const striking = new Set<Promise<void>>();

  async function strike(fault: FaultName, blow: Blow): Promise<void> {
    const { target, worker_id } = blow;
    const from = Date.now();
    broken.add(target);
    await blow.strike();
    broken.delete(target);
    struck.push({ fault, target, worker_id, from, to: Date.now() });
  }

  for (const [place, fault] of deck.entries()) {
    let blow: Blow | null = null;
    while (!signal.aborted && blow === null) {
      const due = begun() * deck.length >= place * runs && striking.size < atOnce;
      blow = due ? aim(options, fault, broken) : null;
      if (blow === null) await sleep(50);
    }
    if (blow === null) break;
    const deed = strike(fault, blow).finally(() => striking.delete(deed));
    striking.add(deed);
  }
  await Promise.all(striking);
  return struck;
}

/** Returns each fault as often as is due for this many runs, and at least once. */
function deal(runs: number): FaultName[] {
  return Object.entries(faultsByName).flatMap(([name, { per10000 }]) =>
    Array.from({ length: Math.max(1, Math.round((per10000 * runs) / 10_000)) }, () => name as FaultName),
  );
}

/** Picks something that works for the fault to break; null when everything of that kind is broken already. */
function aim({ stack, random }: NemesisOptions, name: FaultName, broken: ReadonlySet<string>): Blow | null {
  const fault = faultsByName[name];
  if (fault.on === "redis" || fault.on === "postgres") {
    if (broken.has(fault.on)) return null;
    return { target: fault.on, worker_id: null, strike: () => fault.strike(stack, random) };
  }
  const member = pickWhole(fault.on === "api" ? stack.apis : stack.workers, random, broken);
  if (member === null) return null;
  const worker_id = member.workerId();
  return { target: member.name, worker_id, strike: () => fault.strike(member, random, stack.leaseMs) };
}

function pickWhole(members: Member[], random: Random, broken: ReadonlySet<string>): Member | null {
  const [first, ...others] = members.filter((member) => member.isReady() && !broken.has(member.name));
  return first ? random.pick([first, ...others]) : null;
}
