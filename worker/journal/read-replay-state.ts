import { setImmediate as giveWay } from "node:timers/promises";
import { formatEventId } from "../../shared/domain/run/event-id.ts";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import type { Db } from "../../shared/store/client.ts";
import {
  countedAttempts,
  dropEntries,
  readJournal,
  readJournalHead,
  type StoredEntry,
} from "../../shared/store/journal/read-journal.ts";
import { readCallsInFlight } from "../../shared/store/calls/calls-in-flight.ts";
import { readWaits } from "../../shared/store/journal/read-waits.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { type Entry, type EntryContent, openContent, openEntry } from "../../shared/services/journal/entry.ts";
import type { Continuation } from "../../shared/services/journal/continuation.ts";
import { failedEntries } from "../../shared/services/journal/failed-entries.ts";
import { type ReplayCheckpoints, readCheckpointSizes, readReplayCheckpoints } from "./checkpoints.ts";
import { bytesOf } from "./measure-entry.ts";
import { type EntryForAgent, forAgent, isOfWait } from "./entry-for-agent.ts";
import { mergeRanges, type Range } from "./settle-output.ts";

/** What an agent's process is given of the earlier attempts, in one piece. */
export type KeptForAgent = {
  entries: EntryForAgent[];
  /** Of waits that are open: [branch, position, name]. */
  waits: [string, number, string][];
  /** Of steps that are not done: [key, the next try's number, when it may begin]. */
  tries: [string, number, number][];
  /** The output segments that are not said again. */
  segments: string[];
  /** Begins the keys of what the run has done since it went on as a fresh one. */
  leg: string;
  /** How many entries the journal has, failed tries included. */
  count: number;
  /** So many of the entries the code asks for again, whatever becomes of the steps that had failed and were done anew since. */
  certain: number;
  /** The keys of the questions whose answers the run has; null: of one that has none. Left out: answers go by the order of asking. */
  asked?: (string | null)[];
};

export type ReplayState = {
  agent: KeptForAgent;
  /** Of all entries but those of calls: sealed or open, whichever is more. */
  bytes: number;
  /** Which stand, by attempt. */
  events: Map<number, Range[]>;
  /** Whether outputs are among them. */
  outputs: boolean;
  /** The place of the journal's last entry. */
  last_place: number;
  /** The stored keys of what is done, and of the waits that are open. */
  done: string[];
  open: string[];
  /** When the first of the open waits ends by itself. */
  due_in_ms: number | null;
  /** The runs that were waited for by what is done anew: it starts others. */
  unwanted: string[];
  /** Entries of waits that ended while no attempt told it. */
  untold: Entry[];
  /** The entries of the run that is run again, by their keys. */
  copied: Map<string, Entry[]>;
  /** With what the run has gone on as a fresh one, and the attempt that said so; null: it never has. */
  continued: (Continuation & { attempt: number }) | null;
  /** Whether the code has made durable calls, and so goes on by its journal. */
  isReplayed: boolean;
  /** Where a graph goes on, for the agent's process. Empty for code that goes on by its journal. */
  checkpoints: string[];
  /** What the stored ones take, by the hash of their namespace. */
  checkpoint_sizes: Map<string, number>;
  /** Recorded calls, for the gateway. */
  calls: StoredEntry[];
  /** The keys of the calls that had no end when their attempts were lost. */
  leftCalls: string[];
};

/** A wait that an earlier attempt has opened. */
type OpenWait = EntryContent & { attempt: number; stored_key: string; due_in_ms: number | null };

type ReplayedRun = HeldRun & { requeue_reason: string | null };

/**
 * Reads what a run's earlier attempts have kept. An attempt that the agent's `retry` asked for does anew what had failed, and
 * what its branch did after that.
 */
export async function readReplayState(db: Db, keyRing: KeyRing, run: ReplayedRun): Promise<ReplayState> {
  let bytes = 0;
  const all: Entry[] = [];
  const places: Pick<StoredEntry, "key" | "place">[] = [];
  const calls: StoredEntry[] = [];
  // Before the entries: each of these may become one at any time.
  const leftCalls = (await readCallsInFlight(db, run.id, run.attempt)).map(({ key }) => key);
  // Before the entries: dropped ones leave gaps, and nobody but this attempt drops any.
  const head = await readJournalHead(db, run.id);
  const waits: OpenWait[] = [];
  for (const { key, attempt, due_in_ms, sealed_entry } of await readWaits(db, run.id))
    waits.push({
      ...(await openContent(keyRing, run.id, { key, sealed_entry })),
      ...{ attempt, stored_key: key, due_in_ms },
    });
  for await (const page of readJournal(db, run.id)) {
    for (const stored of page) {
      places.push({ key: stored.key, place: stored.place });
      if (stored.kind === "call") {
        calls.push(stored);
        continue;
      }
      const entry = await openEntry(keyRing, run.id, stored);
      bytes += Math.max(stored.sealed_entry.length, bytesOf(entry));
      all.push(entry);
    }
    await giveWay();
  }
  const entries = all.filter(({ continuation }) => continuation === undefined);
  const continued = continuedBy(all);
  const { dropped, unwanted } = await dropFailed(db, run, entries, waits);
  const gap = firstGap(
    places.filter(({ key }) => !dropped.has(key)),
    all.find(({ continuation }) => continuation !== undefined)?.place ?? 1,
  );
  const spenders = entries.some(({ usage }) => usage !== undefined);
  const counted = spenders ? await countedAttempts(db, run.id) : [];
  const last_place = Math.max(head.last_place, ...entries.slice(-1).map(({ place }) => place));
  const left = entries.filter(({ stored_key }) => !dropped.has(stored_key));
  const ended = new Set(left.map(({ stored_key }) => stored_key));
  // A wait may have ended between the two reads.
  const open = waits.filter(({ stored_key }) => !ended.has(stored_key) && !dropped.has(stored_key));
  // A question is one of any code.
  const isReplayed = open.length > 0 || left.some(({ kind }) => kind !== "question");
  const graph = isReplayed ? noCheckpoints : await readReplayCheckpoints(db, keyRing, run.id);
  const due = open.flatMap(({ due_in_ms }) => (due_in_ms === null ? [] : [due_in_ms]));
  return {
    ...withCheckpoints(
      keptOf(left, open, {
        ...{ continued, gap },
        isCounted: (attempt) => attempt === 0 || counted.includes(attempt),
      }),
      graph,
    ),
    continued,
    isReplayed,
    checkpoints: graph.contents,
    checkpoint_sizes: await readCheckpointSizes(db, run.id),
    ...{ bytes, calls, leftCalls, last_place, due_in_ms: due.length > 0 ? Math.min(...due) : null },
    unwanted,
    done: left.map(({ stored_key }) => stored_key),
    open: open.map(({ stored_key }) => stored_key),
    untold: left.filter(({ attempt, kind, place }) => attempt > 0 && isOfWait(kind) && place > head.told_place),
  };
}

/** Drops what an attempt does anew that the agent's `retry` asked for. */
async function dropFailed(
  db: Db,
  run: ReplayedRun,
  entries: readonly Entry[],
  waits: readonly OpenWait[],
): Promise<{ dropped: Set<string>; unwanted: string[] }> {
  const dropped = run.requeue_reason === "retry" ? failedEntries(entries, waits) : new Set<string>();
  const unwanted = dropped.size > 0 ? await dropEntries(db, run, [...dropped]) : [];
  return { dropped, unwanted };
}

/**
 * Returns the first place from `first` on that has no entry. What a retry drops leaves its places empty, so later attempts know of it, too.
 * A commit that was repeated also leaves one.
 */
function firstGap(entries: readonly Pick<StoredEntry, "place">[], first: number): number {
  const taken = new Set(entries.map(({ place }) => place));
  let place = first;
  while (taken.has(place)) place += 1;
  return place;
}

/** Returns with what a run has gone on as a fresh one. */
function continuedBy(entries: readonly Entry[]): ReplayState["continued"] {
  const [found] = entries.flatMap(({ continuation, attempt }) => (continuation ? [{ ...continuation, attempt }] : []));
  return found ?? null;
}

const noCheckpoints: ReplayCheckpoints = { contents: [], events: new Map(), outputs: false };

/** Adds which events stand with a graph's checkpoints. */
function withCheckpoints<K extends Pick<ReplayState, "events" | "outputs">>(kept: K, graph: ReplayCheckpoints): K {
  const events = unitedRanges([...kept.events, ...graph.events]);
  return { ...kept, events, outputs: kept.outputs || graph.outputs };
}

type Beside = {
  continued: ReplayState["continued"];
  /** The first place without an entry. What stands behind it may have come after a step that is done anew. */
  gap: number;
  /** Whether the usage of an attempt is the run's already, or another run's. */
  isCounted: (attempt: number) => boolean;
};

function keptOf(
  entries: readonly Entry[],
  waits: readonly OpenWait[],
  { continued, gap, isCounted }: Beside,
): Pick<ReplayState, "agent" | "events" | "outputs" | "copied"> {
  const calls = entries.filter(({ kind }) => kind !== "try");
  const all = [...entries, ...waits];
  const events = unitedRanges(all.map(({ attempt, events: standing }) => [attempt, standing]));
  const copied = new Map<string, Entry[]>();
  for (const entry of entries)
    if (entry.attempt === 0) copied.set(entry.key, [...(copied.get(entry.key) ?? []), entry]);
  return {
    agent: {
      entries: calls.map((entry) => forAgent(entry, isCounted)),
      waits: waits.map(({ branch, position, name }) => [branch, position, name]),
      tries: triesOf(entries),
      segments: all.flatMap(({ segments }) => segments),
      leg: continued?.leg ?? "",
      count: all.length,
      certain: calls.filter(({ place }) => place < gap).length,
    },
    events,
    outputs: all.some(({ outputs }) => outputs),
    copied,
  };
}

/** Returns the events that stand, by attempt. All of an attempt's ranges are put in order once: there may be many in many entries. */
function unitedRanges(standing: Iterable<readonly [attempt: number, ranges: readonly Range[]]>): Map<number, Range[]> {
  const ranges = new Map<number, Range[]>();
  for (const [attempt, some] of standing) {
    const all = ranges.get(attempt) ?? [];
    ranges.set(attempt, all);
    for (const range of some) all.push(range);
  }
  return new Map([...ranges].map(([attempt, all]) => [attempt, mergeRanges(all)]));
}

/** Returns the next try of each step that is not done. */
function triesOf(entries: readonly Entry[]): [string, number, number][] {
  const done = new Set(entries.filter(({ kind }) => kind !== "try").map(({ key }) => key));
  const tries = new Map<string, [string, number, number]>();
  for (const entry of entries) {
    const number = entry.try + 1;
    if (entry.kind !== "try" || done.has(entry.key) || number <= (tries.get(entry.key)?.[1] ?? 0)) continue;
    tries.set(entry.key, [entry.key, number, entry.retry_at ?? 0]);
  }
  return [...tries.values()];
}

/** What `run.started` says of earlier attempts: up to where the last one stands, and which events before that don't. */
export type RetainedEvents = { keeps: string; voids: [string, string][] };

/** No attempt has as many events. */
const lastSeq = 999_999_999;

/**
 * Returns null where nothing of any earlier attempt stands. All of them are named: an attempt that was lost early may have told
 * its readers nothing of those before it. The attempt that called `continue_as` has told of those before it, and stands itself.
 */
export function retainedEventsOf(
  { events, continued }: Pick<ReplayState, "events" | "continued">,
  attempt: number,
): RetainedEvents | null {
  const { attempt: stands, last_seq } = continued ?? { attempt: 0, last_seq: 0 };
  if (stands === 0 && ![...events.values()].some((ranges) => ranges.length > 0)) return null;
  const before = attempt - 1;
  if (before === stands) return { keeps: formatEventId({ attempt: stands, seq: last_seq }), voids: [] };
  const voids = Array.from({ length: before - stands }, (_, index) => {
    const number = stands + index + 1;
    const ranges = events.get(number) ?? [];
    const end = number === before ? [] : ([[lastSeq + 1, lastSeq + 1]] satisfies Range[]);
    return gapsOf([...ranges, ...end]).map(([from, to]) => [
      formatEventId({ attempt: number, seq: from }),
      formatEventId({ attempt: number, seq: to }),
    ]);
  });
  const keeps = formatEventId({ attempt: before, seq: events.get(before)?.at(-1)?.[1] ?? 0 });
  return { keeps, voids: voids.flat() as [string, string][] };
}

/** The numbers from 1 on that lie before or between ranges. */
function gapsOf(ranges: readonly Range[]): Range[] {
  const gaps: Range[] = [];
  let next = 1;
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  return gaps;
}
