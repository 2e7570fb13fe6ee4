import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { open, seal } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { type RecordedAnswer, recordedAnswer, type CallRecord } from "../../shared/schemas/gateway.ts";
import { appendEntry } from "../../shared/store/journal/append-entries.ts";
import { appendLateAnswer } from "../../shared/store/calls/append-late-response.ts";
import { noteCallInFlight, readingFor } from "../../shared/store/calls/calls-in-flight.ts";
import { readEntry } from "../../shared/store/journal/read-entry.ts";
import type { StoredEntry } from "../../shared/store/journal/read-journal.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import type { Db } from "../../shared/store/client.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { findDifference, type Difference } from "./find-difference.ts";

const content = z.object({ path: z.string(), request: z.string().nullable(), answer: recordedAnswer });
type Content = z.infer<typeof content>;
export type CallRequest = Pick<Content, "path" | "request">;

const deflateApart = promisify(deflateRaw);
const inflateApart = promisify(inflateRaw);
/** So many bytes are done sooner than a thread of the pool is asked. */
const fewBytes = 16 * 1024;
const deflate = async (text: string): Promise<Buffer> =>
  text.length <= fewBytes ? deflateRawSync(text, { level: 1 }) : deflateApart(text, { level: 1 });
/** Few bytes may become a thousand times as many: these are done apart, too. */
const inflate = async (bytes: Buffer): Promise<Buffer> =>
  bytes.length <= fewBytes / 16 ? inflateRawSync(bytes) : inflateApart(bytes);

/** How long an answer waits for those that were recorded before it and are not asked for. */
const inOrderMs = 50;

/** Who reads the answers of a worker that has just died is heard of within this time after the next attempt's begin. */
const heardOfMs = 5_000;
const lookEveryMs = 100;

/** A place for an answer: the call's key and which of the calls with that key it is. */
export type CallOccurrence = { key: string; nth: number };

export type RecordedCalls = {
  /**
   * Takes a place for a call. Returns what was recorded there, when it is its turn; null: the call is to be sent. Waits for an
   * answer that somebody still reads for an earlier attempt: `isLate`.
   */
  take(record: CallRecord): Promise<{ slot: CallOccurrence; answer: RecordedAnswer | null; isLate: boolean }>;
  /** Notes that a call is about to be sent. `call`: its number in the attempt. Returns false when the attempt is stale. */
  begin(slot: CallOccurrence, call: number): Promise<boolean>;
  /** Keeps the answer of a call that was sent, also after its attempt. Returns false when it is of no use any more. */
  keep(slot: CallOccurrence, call: number, of: CallRequest, answer: RecordedAnswer): Promise<boolean>;
  /**
   * Notes that a call has failed. When the program then makes another call, or the call's next try is answered, it went past the
   * failure: a later attempt is given it, too, as often as it came.
   */
  fail(slot: CallOccurrence, request: CallRequest, answer: RecordedAnswer): void;
  /** The client has gone before it had the answer: the next call with the same key takes the place. */
  leave(slot: CallOccurrence): void;
  /**
   * The call is over. `isDelivered`: its client has the answer. A call that failed leaves its place to its next try. `isSpent`: it was answered and is
   * not to be sent again, even where its answer couldn't be kept.
   */
  end(slot: CallOccurrence, isDelivered: boolean, isSpent: boolean): void;
  /** Returns the key of the entry with the answer that the program had last; null: there is none. */
  last(): string | null;
  /** Returns where a call that was not recorded differs from one that was, and was not asked for; null: there is none. */
  findMiss(path: string, record: CallRecord): Promise<Difference | null>;
};

/** `sealed`: null where it is read from the store when it is asked for. Answers of this attempt mostly aren't, and there may be gigabytes of them. */
type StoredAnswer = { place: number; sealed: Buffer | null };

/** How much of a run's answers is kept, in bytes as they are stored. What comes beyond is passed on, and paid again when it is asked for again. */
const mostStored = 64 * 1024 * 1024;
/** How many failures of one place, and of how many bytes of a run, wait to be kept. */
const mostFailures = 32;
const mostFailed = 4 * 1024 * 1024;

/** Returns an answer, sealed as an entry of its run's journal. */
export async function sealAnswer(
  keyRing: KeyRing,
  at: { run_id: string; key: string },
  { path, request }: CallRequest,
  answer: RecordedAnswer,
): Promise<Buffer> {
  const text = await deflate(JSON.stringify({ path, request, answer } satisfies Content));
  return seal(keyRing, text, sealedFields.journalEntry(at.run_id, at.key));
}

type EarlierCalls = {
  /** The entries of earlier attempts. */
  calls: readonly StoredEntry[];
  /** The keys of their calls that had no end. */
  leftCalls: readonly string[];
};

export function openRecordedCalls(
  { db, keyRing }: { db: Db; keyRing: KeyRing },
  run: HeldRun,
  { calls: stored, leftCalls }: EarlierCalls,
): RecordedCalls {
  const heardOf = performance.now() + heardOfMs;
  const kept = new Map<string, StoredAnswer>(
    stored.map(({ key, place, sealed_entry }) => [key, { place, sealed: sealed_entry }]),
  );
  let storedBytes = stored.reduce((sum, { sealed_entry }) => sum + sealed_entry.length, 0);
  let failedBytes = 0;
  /** Entries of earlier attempts that nobody has asked for yet, in their order. */
  const waiting = new Set(stored.toSorted((a, b) => a.place - b.place).map(({ key }) => key));
  /** Where the calls of entries went that were opened once. */
  const paths = new Map<string, string>();
  /** How many failures of a place were given. */
  const given = new Map<string, number>();
  /** Failures in this attempt, by place, until the program goes past them. */
  const failures = new Map<string, { key: string; of: Content }[]>();
  const used = new Map<string, Set<number>>();
  const inFlight = new Map<string, { over: Promise<void>; end: () => void }>();
  const left = new WeakSet<CallOccurrence>();
  /** Places with an answer that stands: no failure. */
  const answered = new WeakSet<CallOccurrence>();
  const over = new WeakSet<CallOccurrence>();
  /** The place of the last answer. */
  let last: string | null = null;
  let onTaken = (): void => undefined;

  async function read(key: string): Promise<Content | null> {
    const found = kept.get(key);
    if (!found) return null;
    const sealed = found.sealed ?? (await untilPostgresAnswers(() => readEntry(db, run.id, key)));
    return sealed && openAnswer(key, sealed);
  }

  async function openAnswer(key: string, sealed: Buffer): Promise<Content> {
    const bytes = await inflate(open(keyRing, sealed, sealedFields.journalEntry(run.id, key)));
    return content.parse(JSON.parse(bytes.toString("utf8")));
  }

  /** Waits for an answer that somebody reads for an earlier attempt. Returns null when nobody does any more. */
  async function readLeft(key: string): Promise<Content | null> {
    if (!leftCalls.includes(key)) return null;
    for (;;) {
      const left_ms = await untilPostgresAnswers(() => readingFor(db, run.id, key));
      const sealed = await untilPostgresAnswers(() => readEntry(db, run.id, key));
      if (sealed) {
        kept.set(key, { place: 0, sealed: null });
        return openAnswer(key, sealed);
      }
      if (left_ms === null || (left_ms <= 0 && performance.now() > heardOf)) return null;
      await sleep(lookEveryMs);
    }
  }

  async function turnOf(key: string): Promise<void> {
    const { place = 0 } = kept.get(key) ?? {};
    const until = performance.now() + inOrderMs;
    const isEarlier = (one: string) => (kept.get(one)?.place ?? 0) < place;
    const first = () => waiting.values().next().value ?? key;
    while (waiting.has(key) && isEarlier(first()) && performance.now() < until)
      await Promise.race([
        new Promise<void>((resolve) => (onTaken = resolve)),
        new Promise<void>((resolve) => setTimeout(resolve, until - performance.now())),
      ]);
    // What was not asked for by now is not waited for again.
    while (isEarlier(first())) waiting.delete(first());
    waiting.delete(key);
    onTaken();
  }

  /** Keeps what the program goes past with a call of this key. */
  async function goPast(key: string): Promise<void> {
    for (const [place, failed] of failures) if (failed.some((one) => one.key !== key)) await keepFailures(place);
  }

  async function keepFailures(place: string): Promise<void> {
    const failed = failures.get(place) ?? [];
    failures.delete(place);
    for (const { of } of failed) {
      failedBytes -= bytesOf(of);
      const count = given.get(place) ?? 0;
      given.set(place, count + 1);
      const named = { run_id: run.id, attempt: run.attempt, key: `${place}:failed:${count}` };
      const sealed_entry = await sealAnswer(keyRing, named, of, of.answer);
      if (!takeRoom(sealed_entry)) continue;
      await untilPostgresAnswers(() => appendEntry(db, { ...named, kind: "call", writer: "gateway", sealed_entry }));
    }
  }

  /** Returns false where the run has kept as much as it may. */
  function takeRoom({ length }: Buffer): boolean {
    const fits = storedBytes + length <= mostStored;
    if (fits) storedBytes += length;
    return fits;
  }

  /** Returns the next failure of a place that earlier attempts have gone past. */
  async function nextFailure(place: string): Promise<RecordedAnswer | null> {
    const count = given.get(place) ?? 0;
    const found = await read(`${place}:failed:${count}`);
    if (!found) return null;
    given.set(place, count + 1);
    await turnOf(`${place}:failed:${count}`);
    return found.answer;
  }

  function freePlace(key: string): CallOccurrence {
    const taken = used.get(key) ?? new Set<number>();
    used.set(key, taken);
    let nth = 0;
    while (taken.has(nth)) nth += 1;
    taken.add(nth);
    return { key, nth };
  }

  /** Returns what was recorded at a place; else the call is under way there. */
  async function answerAt(slot: CallOccurrence): Promise<{ answer: RecordedAnswer | null; isLate: boolean }> {
    const key = keyOf(slot);
    await inFlight.get(key)?.over;
    const failure = await nextFailure(key);
    if (failure) return { answer: failure, isLate: false };
    const before = await read(key);
    const found = before ?? (await readLeft(key));
    if (found) {
      await turnOf(key);
      last = key;
      answered.add(slot);
      return { answer: found.answer, isLate: before === null };
    }
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    inFlight.set(key, { over: ended, end });
    return { answer: null, isLate: false };
  }

  return {
    async take({ key }) {
      await goPast(key);
      const slot = freePlace(key);
      try {
        return { slot, ...(await answerAt(slot)) };
      } catch (error) {
        used.get(key)?.delete(slot.nth);
        throw error;
      }
    },
    async begin(slot, call) {
      const named = { run_id: run.id, attempt: run.attempt, key: keyOf(slot), call };
      for (;;) {
        const noted = await untilPostgresAnswers(() => noteCallInFlight(db, named));
        if (noted !== "read") return noted === "open";
        await sleep(lookEveryMs);
      }
    },
    async keep(slot, call, request, answer) {
      const key = keyOf(slot);
      const named = { run_id: run.id, attempt: run.attempt, key };
      await keepFailures(key);
      const sealed_entry = await sealAnswer(keyRing, named, request, answer);
      // It is passed on all the same.
      if (!takeRoom(sealed_entry)) return true;
      const entry = { ...named, kind: "call", writer: "gateway", sealed_entry };
      const isKept =
        (await untilPostgresAnswers(() => appendEntry(db, entry))) !== null ||
        (await untilPostgresAnswers(() => appendLateAnswer(db, { ...named, call, sealed_entry })));
      if (isKept) kept.set(key, { place: 0, sealed: null });
      if (isKept) last = key;
      if (isKept) answered.add(slot);
      return isKept;
    },
    fail(slot, request, answer) {
      const place = keyOf(slot);
      const waiting = failures.get(place) ?? [];
      const of = { ...request, answer };
      if (waiting.length >= mostFailures || failedBytes + bytesOf(of) > mostFailed) return;
      failedBytes += bytesOf(of);
      failures.set(place, [...waiting, { key: slot.key, of }]);
    },
    leave(slot) {
      left.add(slot);
      used.get(slot.key)?.delete(slot.nth);
    },
    end(slot, isDelivered, isSpent) {
      if (over.has(slot)) return;
      over.add(slot);
      inFlight.get(keyOf(slot))?.end();
      inFlight.delete(keyOf(slot));
      const stays = answered.has(slot) ? isDelivered : isSpent;
      // A place that was left may be another call's by now.
      if (!stays && !left.has(slot)) used.get(slot.key)?.delete(slot.nth);
    },
    last: () => last,
    async findMiss(path, { request }) {
      for (const key of waiting) {
        if (failedPart.test(key) || (paths.get(key) ?? path) !== path) continue;
        const found = await read(key);
        if (found) paths.set(key, found.path);
        if (found?.path === path) return findDifference(found.request, request);
      }
      return null;
    },
  };
}

const bytesOf = ({ request, answer }: Content): number => (request?.length ?? 0) + answer.body.length;

/** The end of a failure's key: its number among the failures of that call. */
const failedPart = /:failed:\d+$/;

/** The entry's key in the journal's table. */
export const keyOf = ({ key, nth }: CallOccurrence): string => `call:${key}:${nth}`;
