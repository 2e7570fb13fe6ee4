import type { Evidence } from "./check/evidence.ts";
import { listRecoveries } from "./check/recovery.ts";
import { countMissed, countUnkept } from "./check/streams-agree.ts";
import { faultsByName } from "./nemesis/faults.ts";

export type Verdict = { evidence: Evidence; broken: Map<string, string[]>; surprises: number; seconds: number };

/** How many sentences are shown for each broken invariant. */
const shown = 20;

/** Throws when a promise was broken, or when a process ended by itself: others went on with its runs, and nothing else shows it. */
export function throwIfBroken(seed: number, { broken, surprises }: Pick<Verdict, "broken" | "surprises">): void {
  const names = [...broken].filter(([, cases]) => cases.length > 0).map(([name]) => name);
  if (surprises > 0) names.push(`${surprises} processes ended by themselves`);
  if (names.length > 0) throw new Error(`broken with seed ${seed}: ${names.join(", ")}`);
}

/** Returns the figures of one chaos test as a Markdown table, and what was broken. */
export function formatReport(seed: number, { evidence, broken, surprises, seconds }: Verdict): string {
  const rows = [...figures(evidence), ["processes that ended by themselves", surprises], ["seconds", seconds]];
  const lines = [`| seed ${seed} | |`, "|---|--:|", ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
  for (const [name, cases] of broken) {
    lines.push(`| \`${name}\` broken | ${cases.length} |`);
  }
  const sentences = [...broken].flatMap(([name, cases]) =>
    cases.slice(0, shown).map((sentence) => `${name}: ${sentence}`),
  );
  return [...lines, ...(sentences.length > 0 ? ["", ...sentences] : [])].join("\n");
}

function figures(evidence: Evidence): [string, number | string][] {
  const { accepted, histories, struck, runs, transitions, deliveries } = evidence;
  const sum = (of: (history: Evidence["histories"][number]) => number) =>
    histories.reduce((total, history) => total + of(history), 0);
  const statuses = new Map<string, number>();
  for (const { status } of runs.values()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const moves = [...transitions.values()].flat();
  const times = listRecoveries(evidence).filter(({ undisturbed }) => undisturbed);
  const sorted = times.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return [
    ["runs accepted", accepted.length],
    ["of them by a repeated request", accepted.filter(({ asked }) => asked > 1).length],
    ...[...statuses].map(([status, count]): [string, number] => [`ended as ${status}`, count]),
    ["claims", moves.filter(({ to }) => to === "running").length],
    ["runs taken from lost workers", moves.filter(({ reason }) => reason === "worker_lost").length],
    ["durable runs", accepted.filter(({ agent }) => agent === "durable").length],
    ["their suspensions", moves.filter(({ to }) => to === "suspended").length],
    ["runs handed back by draining workers", moves.filter(({ reason }) => reason === "drained").length],
    ...[...Object.keys(faultsByName), "link_cut"].map((name): [string, number] => [
      name.replace("_", " "),
      struck.filter(({ fault }) => fault === name).length,
    ]),
    ["readers", histories.length],
    ["events read", sum(({ events }) => events.length)],
    ["connections dropped by their reader", sum(({ cuts }) => cuts)],
    ["connections broken by a fault", sum(({ breaks }) => breaks)],
    ["events seen of discarded attempts that no store kept", countUnkept(evidence)],
    ["gap events", sum(({ events }) => events.filter(({ type }) => type === "gap").length)],
    ["callbacks tried", deliveries.length],
    ["seconds in which the machine was stalled or crowded", Math.round(sumOf(evidence.stalls) / 1_000)],
    ["events of discarded attempts that the transcript got after their readers", countMissed(evidence)],
    ["return of a lost run, ms: p50, p99, max", `${at(0.5)}, ${at(0.99)}, ${at(1)} of ${sorted.length}`],
  ];
}

const sumOf = (stalls: Evidence["stalls"]): number => stalls.reduce((sum, { from, to }) => sum + to - from, 0);
