import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import { beforeFirst, type EventId, formatEventId, parseEventId } from "../../domain/run/event-id.ts";
import { journalLimits } from "../../domain/run/journal-limits.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { RunEventBody, StreamEvent } from "../../schemas/run-event.ts";
import type { Db } from "../../store/client.ts";
import type { CopiedEntry } from "../../store/journal/copy-entries.ts";
import { readJournal } from "../../store/journal/read-journal.ts";
import { readTranscript } from "../../store/runs/transcript/read-transcript.ts";
import { type Entry, openEntry, sealEntry } from "./entry.ts";
import { failedEntries, isUnfinished } from "./failed-entries.ts";

type Deps = { db: Db; config: Pick<Config, "encryptionKeys"> };

/**
 * `from`: `failed`, a step or the id of an event. `set`: results that steps have instead of their own. `has_input`: the new run's input is
 * its own, whatever the earlier one went on with.
 */
export type ReplayPoint = { source: string; from: string; set: Record<string, unknown>; has_input: boolean };

export const fault = (field: string, why: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc: ["body", field], msg: `Value error, ${why}` }]);

/**
 * Returns what makes the journal of a new run: an earlier run's entries before a point, sealed for the new one, each with what
 * its step said. Throws ValidationFault for a point that the journal doesn't have.
 */
export async function journalOfRerun(
  { db, config }: Deps,
  point: ReplayPoint,
): Promise<(runId: string) => Promise<CopiedEntry[]>> {
  const outlines: Outline[] = [];
  for await (const entry of openEntries({ db, config }, point.source)) outlines.push(outlineOf(entry));
  const chosen = await chooseEntries(db, outlines, point);
  const speakers = outlines.filter(({ stored_key }) => chosen.has(stored_key));
  return async (runId) => {
    const said = await readSaid(db, point.source, speakers);
    const copies: CopiedEntry[] = [];
    for await (const entry of openEntries({ db, config }, point.source)) {
      const result = chosen.get(entry.stored_key);
      if (result === undefined) continue;
      const {
        attempt: _,
        place: __,
        kind,
        stored_key,
        ...content
      } = result === null ? entry : withResult(entry, result);
      const told = said.get(stored_key) ?? content.said;
      const copied = { ...content, ...nothingSettled, ...(told && { said: told }) };
      if (copied.continuation) {
        // The new run has answered no question yet, and it has no earlier events.
        copied.continuation = { ...copied.continuation, answers: 0, last_seq: 0 };
        if (point.has_input) delete copied.continuation.input_payload;
      }
      const sealed_entry = await sealEntry(config.encryptionKeys, { run_id: runId, stored_key }, copied);
      copies.push({ key: stored_key, place: copies.length + 1, kind, sealed_entry });
    }
    return copies;
  };
}

/** Yields a run's entries in their order. In clear they may be gigabytes: only a page is held, and only one entry of it in clear. */
async function* openEntries({ db, config }: Deps, source: string): AsyncGenerator<Entry> {
  for await (const page of readJournal(db, source))
    for (const stored of page)
      // The new run calls its models itself.
      if (stored.kind !== "call") yield await openEntry(config.encryptionKeys, source, stored);
}

/** What of an entry tells whether the new run begins with it. */
type Outline = Pick<Entry, (typeof outlined)[number]>;
const outlined = [
  "key",
  "name",
  "branch",
  "position",
  "after",
  "kind",
  "ok",
  "attempt",
  "place",
  "own",
  "stored_key",
] as const;

const outlineOf = (entry: Entry): Outline =>
  Object.fromEntries(outlined.map((field) => [field, entry[field]])) as Outline;

/** The new run's code says its words outside of steps anew. */
const nothingSettled = { segments: [], events: [], own: [], outputs: false };

/** The entries of an earlier journal that a new one begins with, by their stored keys: the result that each has instead of its own, or null. */
async function chooseEntries(
  db: Db,
  entries: readonly Outline[],
  { source, from, set }: ReplayPoint,
): Promise<Map<string, string | null>> {
  const { kept, redone } = await cutAt(db, entries, source, from);
  // Answers are not taken over, so questions are asked anew; an address is that of one run.
  const chosen = new Map<string, string | null>(
    kept.filter(({ kind }) => kind !== "question" && kind !== "url").map(({ stored_key }) => [stored_key, null]),
  );
  for (const [name, value] of Object.entries(set)) {
    const entry = findStep(entries, name);
    if (!entry) throw fault("set", `the run has no step '${name}'`);
    if (!chosen.has(entry.stored_key) && !redone.has(entry.key))
      throw fault("set", `the step '${name}' comes after where the new run goes on`);
    const result = JSON.stringify(value);
    if (Buffer.byteLength(result) > journalLimits.entry_bytes)
      throw fault("set", `the result of '${name}' is larger than ${journalLimits.entry_bytes} bytes`);
    chosen.set(entry.stored_key, result);
  }
  return chosen;
}

function withResult(entry: Entry, result: string): Entry {
  const { error: _, ...rest } = entry;
  return { ...rest, kind: "step", ok: true, result };
}

/** `redone`: the keys of the steps at the point itself. */
type Cut = { kept: readonly Outline[]; redone: Set<string> };

async function cutAt(db: Db, entries: readonly Outline[], source: string, from: string): Promise<Cut> {
  if (from === "failed") {
    const dropped = failedEntries(entries);
    const failed = entries.filter((entry) => isUnfinished(entry) && dropped.has(entry.stored_key));
    const kept = entries.filter(({ stored_key }) => !dropped.has(stored_key));
    return { kept, redone: new Set(failed.map(({ key }) => key)) };
  }
  const step = findStep(entries, from);
  if (step) {
    const first = Math.min(...entries.filter(({ key }) => key === step.key).map(({ place }) => place));
    return { kept: entries.filter(({ place }) => place < first), redone: new Set([step.key]) };
  }
  const at = parseEventId(from);
  if (!at) throw fault("from", `the run has no step '${from}'; name a step, the id of an event, or 'failed'`);
  const ended = await keysEnded(db, source, at);
  const first = entries.find(({ kind, key }) => kind === "step" && !ended.has(key));
  return { kept: first ? entries.filter(({ place }) => place < first.place) : entries, redone: new Set() };
}

/** Finds a step by its key, or as `name#n`: the n-th step of that name to be kept. */
function findStep(entries: readonly Outline[], name: string): Outline | undefined {
  const steps = entries.filter(({ kind }) => kind === "step" || kind === "abandoned");
  const [, called = name, number = "1"] = /^(.+)#(\d+)$/.exec(name) ?? [];
  return (
    steps.find(({ key }) => key === name) ??
    steps.filter((entry) => entry.name === called)[Math.max(Number(number), 1) - 1]
  );
}

/** Returns the keys of the steps whose end was told no later than an event. */
async function keysEnded(db: Db, runId: string, at: EventId): Promise<Set<unknown>> {
  const keys = new Set<unknown>();
  for await (const { attempt, seq, type, data } of readAll(db, runId)) {
    if (attempt > at.attempt || (attempt === at.attempt && seq > at.seq)) break;
    if (type === "step.end") keys.add((JSON.parse(data) as { key?: unknown }).key);
  }
  return keys;
}

async function* readAll(db: Db, runId: string): AsyncGenerator<StreamEvent> {
  for (let cursor: EventId = beforeFirst; ;) {
    const events = await readTranscript(db, runId, cursor);
    const last = events.at(-1);
    if (!last) return;
    yield* events;
    cursor = { attempt: last.attempt, seq: last.seq };
  }
}

/** Returns what steps said, by their stored keys. */
async function readSaid(db: Db, runId: string, entries: readonly Outline[]): Promise<Map<string, RunEventBody[]>> {
  const speakers = new Map<string, string>();
  for (const { attempt, own, stored_key } of entries)
    for (const [from, to] of own)
      for (let seq = from; seq <= to; seq += 1) speakers.set(formatEventId({ attempt, seq }), stored_key);
  const said = new Map<string, RunEventBody[]>();
  if (speakers.size === 0) return said;
  for await (const event of readAll(db, runId)) {
    const speaker = speakers.get(formatEventId(event));
    if (speaker === undefined) continue;
    const { run_id: _, attempt: __, seq: ___, ts: ____, ...body } = JSON.parse(event.data) as StoredBody;
    said.set(speaker, [...(said.get(speaker) ?? []), body]);
  }
  return said;
}

type StoredBody = RunEventBody & { run_id: string; attempt: number; seq: number; ts: string };
