import { formatEventId } from "../../shared/domain/run/event-id.ts";
import { journalLimits } from "../../shared/domain/run/journal-limits.ts";
import type { Config } from "../../shared/platform/config/load-config.ts";
import type { JsonSchemas } from "../../shared/platform/json-schema/json-schemas.ts";
import type { RunQueue } from "../../shared/platform/queue/run-queue.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { appendEntry } from "../../shared/store/journal/append-entries.ts";
import { dropEntries, readJournal } from "../../shared/store/journal/read-journal.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Suspension } from "../channel/suspension.ts";
import type { ContinueFrame } from "../channel/continue-frame.ts";
import { placeOf } from "../channel/call-fields.ts";
import type { StepEnd, StepFrame } from "../channel/step-frame.ts";
import type { UrlAsked, WaitFrame } from "../channel/wait-frame.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import { type Entry, type EntryContent, openEntry, sealEntry, storedKey } from "../../shared/services/journal/entry.ts";
import type { CheckpointFrame } from "../channel/checkpoint-frame.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { openChildren } from "./children.ts";
import { type Delivered, openDelivery } from "./delivery.ts";
import { forAgent, isOfWait } from "./entry-for-agent.ts";
import { bytesOf } from "./measure-entry.ts";
import type { ReplayState } from "./read-replay-state.ts";
import { createLedger, mergeRanges, type Range, type Settled } from "./settle-output.ts";
import { openMessages } from "./messages.ts";
import { openIdleRelease } from "./release-idle-process.ts";
import { signalUrl } from "./signal-url.ts";
import { openWaits } from "./waits.ts";

/** The journal of one attempt. */
export type Journal = {
  /** Takes a frame of the agent's steps. Resolves at once, unless too many entries wait for their commit. */
  take(frame: Exclude<StepFrame, ContinueFrame>): Promise<void>;
  /** Tells readers what waits have come to, and what was said, while no attempt told it. */
  begin(): void;
  /** Looks for what others have added to the run's journal, and what was said to the run. */
  look(): void;
  /** The agent has done something, of whatever kind: it is not idle. */
  disturb(): void;
  /** Lets the agent's process go at once, if the run only waits. */
  drain(): void;
  /** Notes an event of the attempt, before it is sent. `segment`: what says it; null for none. */
  say(segment: string | null, seq: number, isOutput: boolean): void;
  /** Resolves when all entries are committed. Rejects for a fault of the worker's or the store's. */
  settled(): Promise<void>;
};

export type JournalDeps = {
  db: Db;
  config: Pick<Config, "encryptionKeys" | "publicUrl">;
  jsonSchemas: JsonSchemas;
  queue: RunQueue;
  streams: RunStreams;
};

type Options = {
  deps: JournalDeps;
  run: HeldRun & { cancel_requested: boolean };
  /** Of earlier attempts; null: nothing. */
  kept: ReplayState | null;
  /** Sends an event, redacted and limited; its seq is the next. `segment`: what says it; left out: the worker. */
  publish: (event: RunEventBody, segment?: string) => Promise<void>;
  /** Resolves when the transcript holds all events so far. */
  save: () => Promise<void>;
  /** Answers the agent's process. Returns false while there is none. */
  reply: (line: string) => boolean;
  stop: (reason: AbortReason) => void;
  /** Called when the process is let go: the run only waits. */
  suspend: (suspension: Suspension) => void;
  /** True while the worker has no free slot. */
  isCrowded: () => boolean;
};

/** The runtimes count results only, let a step that has begun have its tries, and stop at the limit. */
const mostBytes = journalLimits.bytes * 1.25;
const mostEntries = journalLimits.entries * 1.1;
/** Ranges of events that stand, of all attempts: every reader is told of what lies between them. */
const mostRanges = 20_000;
/** Tries under way that end by a time-out, and what is to be kept of them then. */
const mostTimers = 1_000;
const mostTimerBytes = 16 * 1024 * 1024;
/** Entries that may wait for their commit before the agent's channel is not read any more. */
const mostWaiting = 64;

/**
 * Commits what an attempt's steps give, in the order of their ends, and tells the agent's process of each entry when it is
 * committed. An agent sends these frames by itself if it likes: what it can harm is its own run.
 */
export function openJournal({ deps, run, kept, publish, save, reply, stop, suspend, isCrowded }: Options): Journal {
  const { db, config } = deps;
  const { encryptionKeys: keyRing, publicUrl } = config;
  const ledger = createLedger();
  const startedAt = new Map<string, number>();
  const timers = new Map<string, { timer: NodeJS.Timeout; bytes: number }>();
  let timerBytes = 0;
  let isOver = false;
  const waiting = new Set<Promise<void>>();
  /** What entries settle that are on their way. Each entry says it all: one may be committed before an earlier one. */
  const uncommitted = new Set<Settled>();
  let fault: Error | null = null;
  /** Stored keys of what was sent in this attempt, or kept before. */
  const known = new Set(kept?.agent.entries.map(({ key }) => storedKey(key, null)));
  const settledBefore = new Set(kept?.agent.segments);
  let count = kept?.agent.count ?? 0;
  let bytes = kept?.bytes ?? 0;
  let ranges = [...(kept?.events.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
  const rest = openIdleRelease({
    reply,
    stop,
    suspend,
    isCancelled: run.cancel_requested,
    isCrowded,
    isSettled: () => waiting.size === 0,
    state: () => ({ seen_place: delivery.seen(), waits: waits.all() }),
  });
  const read = (after: number) => untilPostgresAnswers(() => readBehind(after));
  const delivery = openDelivery({ after: kept?.last_place ?? 0, read, give: (line) => rest.give(line) });
  const look = () => delivery.look();
  const waits = openWaits({ deps, run, kept, publish, stop, look, seal: sealSettled });
  const children = openChildren({ deps, run, kept, publish, stop, look, seal: sealSettled, waits });
  const checkpoints = openCheckpoints({ db, keyRing, run, kept, publish, save, stop });
  const messages = openMessages({
    db,
    keyRing,
    run,
    publish,
    stop,
    seal: sealSettled,
    put: (entry) => delivery.put(entry),
  });

  function begin(frame: Extract<StepFrame, { type: "step.start" }>): Promise<void> {
    ledger.close(frame.closes);
    startedAt.set(frame.key, performance.now());
    const { on_timeout, timeout_ms } = frame;
    // A plain call can't be interrupted: its try is kept as failed, and the run starts again without it.
    if (on_timeout && timeout_ms !== undefined) limitTry(frame.key, { ...on_timeout, type: "step.end" }, timeout_ms);
    return publish({ type: "step.start", key: frame.key, name: frame.name, try: frame.try });
  }

  function limitTry(key: string, on_timeout: StepEnd, timeout_ms: number): void {
    dropTimer(key);
    const length = bytesOf(on_timeout);
    if (timers.size >= mostTimers || timerBytes + length > mostTimerBytes) return stop("journal_full");
    if (isOver) return;
    timers.set(key, { timer: setTimeout(() => void expire(on_timeout), timeout_ms), bytes: length });
    timerBytes += length;
  }

  function dropTimer(key: string): void {
    const found = timers.get(key);
    if (!found) return;
    clearTimeout(found.timer);
    timerBytes -= found.bytes;
    timers.delete(key);
  }

  async function expire(frame: StepEnd): Promise<void> {
    dropTimer(frame.key);
    await end(frame);
    stop("step_timeout");
  }

  async function end(frame: StepEnd): Promise<void> {
    dropTimer(frame.key);
    const stored_key = storedKey(frame.key, isFailedTry(frame) ? frame.try : null);
    if (known.has(stored_key)) return;
    known.add(stored_key);
    const own = ledger.eventsOf(segmentOf(frame)).map(([from, to]): Range => [from, to]);
    const voids = settle(frame);
    const sealed = await sealSettled(stored_key, (settled) => contentOf(frame, { ...settled, own }));
    if (!sealed) return;
    const place = await commit(stored_key, frame, sealed.bytes);
    if (place === null) return stop("fenced");
    sealed.committed();
    if (frame.kind !== "question" && frame.kind !== "url") void publish(endEvent(frame, voids));
    delivery.put({ place, line: answerTo(frame) });
  }

  /** Seals what an entry says, with what it settles. `committed` is to be called when it is. Returns null when the journal is full. */
  async function sealSettled(
    stored_key: string,
    contentWith: (settled: Omit<Settled, "isSaid">) => EntryContent,
  ): Promise<{ bytes: Buffer; committed: () => void } | null> {
    const own = ledger.settle();
    uncommitted.add(own);
    const included = [...uncommitted];
    const { isSaid, ...settled } = unite(included);
    if (isSaid) await save();
    const content = contentWith(settled);
    const sealed = await sealEntry(keyRing, { run_id: run.id, stored_key }, content);
    count += 1;
    bytes += Math.max(sealed.length, bytesOf(content));
    ranges += own.events.length;
    if (count > mostEntries || bytes > mostBytes || ranges > mostRanges) {
      stop("journal_full");
      return null;
    }
    const committed = (): void => {
      for (const one of included) uncommitted.delete(one);
    };
    return { bytes: sealed, committed };
  }

  /** Reads what the journal has behind a place, and tells of the waits that ended there. */
  async function readBehind(after: number): Promise<Delivered[]> {
    const found: Delivered[] = [];
    for await (const page of readJournal(db, run.id, { after, with_calls: false }))
      for (const stored of page) {
        const { place, kind } = stored;
        const entry = kind === "try" || kind === "abandoned" ? null : await openEntry(keyRing, run.id, stored);
        if (entry && isOfWait(kind)) waits.ended(entry);
        found.push({ place, line: entry && lineOf(entry) });
      }
    return found;
  }

  /** Makes an address, and keeps it: it is the same on every attempt. */
  function giveUrl({ signal, expires_in_s, ...call }: UrlAsked): Promise<void> {
    const url = signalUrl({ publicUrl, keyRing, run_id: run.id, name: signal, expires_in_s });
    const kept = { args: null, ok: true, result: JSON.stringify(url) };
    return end({ ...call, ...kept, type: "step.end", kind: "url", try: 1 });
  }

  /** Settles what is complete. Returns what a failed try has said, which doesn't stand. */
  function settle(frame: StepEnd): Range[] {
    const segment = segmentOf(frame);
    ledger.close(isFailedTry(frame) ? frame.closes : [...frame.closes, segment]);
    return isFailedTry(frame) ? ledger.drop(segment) : [];
  }

  /** Says what a step said in the run that is run again, unless an earlier attempt has said it. */
  async function sayCopied({ key, closes }: Extract<StepFrame, { type: "step.copied" }>): Promise<void> {
    ledger.close(closes);
    const segment = `${key}~copied`;
    const entry = kept?.copied.get(key)?.find(({ kind }) => kind !== "try");
    if (!entry || settledBefore.has(segment)) return;
    for (const event of entry.said ?? []) await publish(event, segment);
    await publish({ type: "step.copied", key, name: entry.name, try: entry.try }, segment);
    ledger.close([segment]);
  }

  /** Drops the copied entries that the code goes on without, so that what it does now can be kept. */
  async function diverge({ key, name, before, drops }: Extract<StepFrame, { type: "replay.diverged" }>): Promise<void> {
    const stored = drops.flatMap((dropped) => kept?.copied.get(dropped) ?? []).map(({ stored_key }) => stored_key);
    await untilPostgresAnswers(() => dropEntries(db, run, stored));
    for (const dropped of stored) known.delete(dropped);
    return publish({ type: "replay.diverged", key, name, before, dropped: stored.length });
  }

  /** Returns the entry's place; null when the attempt is no longer this worker's. */
  function commit(key: string, frame: StepEnd, sealed_entry: Buffer): Promise<number | null> {
    const kind = isFailedTry(frame) ? "try" : frame.kind;
    const entry = { run_id: run.id, attempt: run.attempt, key, kind, writer: "worker", sealed_entry };
    return untilPostgresAnswers(() => appendEntry(db, entry));
  }

  /** The worker's own answer holds a url; the process has all other entries already. */
  function answerTo(frame: StepEnd): string | null {
    if (isFailedTry(frame) || frame.kind === "abandoned") return null;
    if (frame.kind !== "url") return JSON.stringify({ type: "kept", key: frame.key });
    const { type: _type, try: _try, closes: _closes, retry_in_ms: _retry, ...entry } = frame;
    return JSON.stringify({ type: "entry", key: frame.key, entry });
  }

  function act(frame: StepEnd | CheckpointFrame | Exclude<WaitFrame, { type: "idle" | "busy" }>): Promise<void> {
    if (frame.type === "checkpoint") return checkpoints.keep(frame);
    if (frame.type === "wait.open") return waits.open(frame);
    if (frame.type === "child.open") return waits.opening(frame.key, children.open(frame));
    if (frame.type === "wait.abandon") return messages.between(() => waits.abandon(frame.key));
    if (frame.type === "messages.take") return messages.take(frame);
    if (frame.type === "signal.url") return giveUrl(frame);
    return frame.goes_on ? expire(frame) : end(frame);
  }

  function endEvent(frame: StepEnd, voids: Range[]): RunEventBody {
    const { key, name, ok, error } = frame;
    const began = startedAt.get(key);
    startedAt.delete(key);
    const idOf = (seq: number): string => formatEventId({ attempt: run.attempt, seq });
    const ended = { key, name, try: frame.try, error: error ? `${error.type}: ${error.message}` : null };
    if (frame.retry_in_ms !== undefined) {
      const retry_at = new Date(Date.now() + frame.retry_in_ms).toISOString();
      const ranges = voids.map(([from, to]): [string, string] => [idOf(from), idOf(to)]);
      return { type: "step.retrying", ...ended, retry_at, voids: ranges };
    }
    const duration_ms = began === undefined ? null : Math.round(performance.now() - began);
    return { type: "step.end", ...ended, ok, duration_ms };
  }

  return {
    async take(frame) {
      if (frame.type === "segment.end") return ledger.close(frame.closes);
      if (run.cancel_requested && isNew(frame)) return stop("cancelled");
      if (frame.type === "idle") return rest.idle(frame);
      if (frame.type === "busy") return rest.disturb();
      if (frame.type === "step.start") return begin(frame);
      if (frame.type === "step.copied") return sayCopied(frame);
      if (frame.type === "replay.diverged") return diverge(frame);
      if (beginsWait(frame)) ledger.close(frame.closes);
      if (waiting.size >= mostWaiting) await Promise.race(waiting);
      const done = act(frame)
        .catch((error: unknown) => {
          fault ??= error instanceof Error ? error : new Error(String(error));
          stop("fenced");
        })
        .finally(() => waiting.delete(done));
      waiting.add(done);
    },
    begin() {
      for (const entry of kept?.untold ?? []) waits.ended(entry);
      if (kept) void messages.tell().catch(() => undefined);
    },
    disturb: () => rest.disturb(),
    drain: () => rest.drain(),
    look() {
      void delivery.look().catch(() => undefined);
      void messages.tell().catch(() => undefined);
    },
    say(segment, seq, isOutput) {
      ledger.say(segment, seq, isOutput);
      checkpoints.say(seq, isOutput);
    },
    async settled() {
      isOver = true;
      for (const key of [...timers.keys()]) dropTimer(key);
      waits.close();
      rest.close();
      await Promise.all(waiting);
      if (fault !== null) throw fault;
    },
  };
}

/** Frames of code that goes beyond what was kept. */
const newTypes = new Set<StepFrame["type"]>(["step.start", "child.open", "messages.take", "signal.url"]);
/** True for a call that stands before what comes after it: it closes what the code has said so far. */
const beginsWait = (
  frame: StepFrame,
): frame is Extract<StepFrame, { type: "wait.open" | "child.open" | "messages.take" }> =>
  frame.type === "wait.open" || frame.type === "child.open" || frame.type === "messages.take";
const isNew = ({ type }: StepFrame): boolean => newTypes.has(type);

/** The process has the entry of its own step already. */
const lineOf = (entry: Entry): string =>
  entry.kind === "step" || entry.kind === "question"
    ? JSON.stringify({ type: "kept", key: entry.key })
    : JSON.stringify({ type: "entry", key: entry.key, entry: forAgent(entry, () => true) });

const unite = (all: readonly Settled[]): Settled => ({
  segments: all.flatMap(({ segments }) => segments),
  events: mergeRanges(all.flatMap(({ events }) => events)),
  outputs: all.some(({ outputs }) => outputs),
  isSaid: all.some(({ isSaid }) => isSaid),
});

/** What one try of a step says. */
const segmentOf = (frame: StepEnd): string => `${frame.key}~${frame.try}`;

/** Another try follows. */
const isFailedTry = ({ retry_in_ms }: StepEnd): boolean => retry_in_ms !== undefined;

function contentOf(
  frame: StepEnd,
  settled: Pick<EntryContent, "segments" | "events" | "outputs" | "own">,
): EntryContent {
  const { args, ok, result, error, files, state, usage, retry_in_ms } = frame;
  return {
    ...placeOf(frame),
    try: frame.try,
    args,
    ok,
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    ...(files !== undefined && { files }),
    ...(state !== undefined && { state }),
    ...(usage !== undefined && { usage }),
    ...(retry_in_ms !== undefined && { retry_at: Date.now() + retry_in_ms }),
    ...settled,
  };
}
