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
import { failedEntries, isFailed } from "./failed-entries.ts";

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
export function journalOfRerun({ db, config }: Deps, point: ReplayPoint): (runId: string) => Promise<CopiedEntry[]> {
  return async (runId) => {
    const entries: Entry[] = [];
    for await (const page of readJournal(db, point.source))
      for (const stored of page)
        // The new run calls its models itself.
        if (stored.kind !== "call") entries.push(await openEntry(config.encryptionKeys, point.source, stored));
    const chosen = await chooseEntries(db, entries, point);
    const said = await readSaid(db, point.source, chosen);
    const copies: CopiedEntry[] = [];
    for (const { attempt: _, place: __, kind, stored_key, ...content } of chosen) {
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

/** The new run's code says its words outside of steps anew. */
const nothingSettled = { segments: [], events: [], own: [], outputs: false };

/** The entries of an earlier journal that a new one begins with. */
async function chooseEntries(db: Db, entries: readonly Entry[], { source, from, set }: ReplayPoint): Promise<Entry[]> {
  const { kept, redone } = await cutAt(db, entries, source, from);
  // Answers are not taken over, so questions are asked anew; an address is that of one run.
  const chosen = new Map(
    kept.filter(({ kind }) => kind !== "question" && kind !== "url").map((entry) => [entry.stored_key, entry]),
  );
  for (const [name, value] of Object.entries(set)) {
    const entry = findStep(entries, name);
    if (!entry) throw fault("set", `the run has no step '${name}'`);
    if (!chosen.has(entry.stored_key) && !redone.has(entry.key))
      throw fault("set", `the step '${name}' comes after where the new run goes on`);
    const result = JSON.stringify(value);
    if (Buffer.byteLength(result) > journalLimits.entry_bytes)
      throw fault("set", `the result of '${name}' is larger than ${journalLimits.entry_bytes} bytes`);
    const { error: _, ...rest } = entry;
    chosen.set(entry.stored_key, { ...rest, kind: "step", ok: true, result });
  }
  return [...chosen.values()].toSorted((a, b) => a.place - b.place);
}

/** `redone`: the keys of the steps at the point itself. */
type Cut = { kept: readonly Entry[]; redone: Set<string> };

async function cutAt(db: Db, entries: readonly Entry[], source: string, from: string): Promise<Cut> {
  if (from === "failed") {
    const dropped = failedEntries(entries);
    const failed = entries.filter((entry) => isFailed(entry) && dropped.has(entry.stored_key));
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
function findStep(entries: readonly Entry[], name: string): Entry | undefined {
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
async function readSaid(db: Db, runId: string, entries: readonly Entry[]): Promise<Map<string, RunEventBody[]>> {
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
