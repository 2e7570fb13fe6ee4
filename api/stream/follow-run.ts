import { setTimeout as sleep } from "node:timers/promises";
import { compareEventIds, type EventId, follows } from "../../shared/run/event-id.ts";
import { isTerminal, isTerminalEvent } from "../../shared/run/run-status.ts";
import { placeEvent } from "../../shared/run/stream-event.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read-run-states.ts";
import { readTranscript } from "../../shared/store/runs/read-transcript.ts";
import type { RunStreams } from "../../shared/stream/run-streams.ts";
import type { Tail } from "./tail.ts";

export type FollowDeps = { db: Db; streams: RunStreams };

/** How long a gap may wait for the worker to write behind what Redis lost. */
const gapPollMs = 250;

/** Who reads a run. */
export type RunReader = {
  /** The next events. Gives a promise where no more should come until it resolves. */
  take(events: StreamEvent[]): Promise<void> | undefined;
  /** No more comes: with the terminal event and those before it, or with none. */
  end(events: StreamEvent[]): void;
  /** The stores could not be read. Nothing comes after it. */
  fail(error: unknown): void;
};

/**
 * Gives `reader` a run's events after `cursor`, in batches, each event once and in order, until its terminal one, or until it
 * waits for a person.
 *
 * Backfill: what the stores hold, Redis where it joins the cursor, else the transcript. Cutover: `tail` was opened before
 * the backfill began, so whatever the backfill did not hold is in the tail. Live: what the tail brings, as long as each
 * event follows the last by arithmetic; when one doesn't, back to the backfill. It never waits for Redis to be there.
 *
 * `fresh`: the run was made after `tail` listened, so there is nothing to fill in. Ends early when the tail ends (the
 * process goes) or is closed by the caller (the reader went); closes the tail. Between events the tail alone knows of it: no
 * promise waits, which is what makes thousands of idle readers small.
 */
export function followRun(
  deps: FollowDeps,
  runId: string,
  tail: Tail,
  start: { cursor: EventId; fresh: boolean; reader: RunReader },
): void {
  const { reader } = start;
  let cursor = placeOf(start.cursor);
  let inDoubt = !start.fresh;
  let state: "rests" | "works" | "over" = "rests";

  async function handOver(): Promise<void> {
    while (!tail.ended) {
      const events = inDoubt ? await lookUp() : listen();
      if (!events) return void (state = "rests");
      const last = events.at(-1);
      if (!last) continue;
      cursor = placeOf(last);
      if (isTerminalEvent(last.type)) return finish(events);
      const behind = reader.take(events);
      if (behind) await behind;
      if (last.type === "run.interrupted" && (await isAside(deps, runId))) return finish([]);
    }
    finish([]);
  }

  /** What the stores hold next. They are read until they hold nothing more. */
  async function lookUp(): Promise<StreamEvent[]> {
    const { events, gapAhead } = await fillIn(deps, runId, cursor);
    if (gapAhead && events.length === 0) await sleep(gapPollMs);
    inDoubt = gapAhead || events.length > 0;
    return events;
  }

  /** What the tail brings, until it skips something. Null: nothing yet. */
  function listen(): StreamEvent[] | null {
    const tidings = tail.take(cursor);
    if (tidings === null) return null;
    const { events, gapAhead } =
      tidings === "doubt" ? { events: [], gapAhead: true } : join(cursor, tidings, sameAttempt);
    inDoubt = gapAhead;
    return events;
  }

  function finish(events: StreamEvent[]): void {
    state = "over";
    tail.close();
    reader.end(events);
  }

  tail.onTidings(() => {
    if (state !== "rests") return;
    state = "works";
    handOver().catch((error: unknown) => {
      state = "over";
      tail.close();
      reader.fail(error);
    });
  });
}

/** Without the event that stands there, which may be large: an idle reader would keep it. */
const placeOf = ({ attempt, seq }: EventId): EventId => ({ attempt, seq });

/** Whether a run waits for a person: its stream ends there, and goes on under the same id once it was answered. */
async function isAside({ db }: FollowDeps, runId: string): Promise<boolean> {
  const [state] = await readRunStates(db, [runId], null);
  return state?.status === "interrupted";
}

export type Found = { events: StreamEvent[]; gapAhead: boolean };

/** Within an attempt only: a live jump to a later attempt is looked up, since the stores may hold more of the one before. */
const sameAttempt = (last: EventId, next: EventId): boolean =>
  next.attempt === last.attempt && next.seq === last.seq + 1;

/** The part of `events` (in order) that continues `cursor` without a gap; what the reader has already is passed over. */
function join(cursor: EventId, events: StreamEvent[], continues: (last: EventId, next: EventId) => boolean): Found {
  const joined: StreamEvent[] = [];
  let last = cursor;
  for (const event of events) {
    if (compareEventIds(event, last) <= 0) continue;
    if (!continues(last, event)) return { events: joined, gapAhead: true };
    joined.push(event);
    last = event;
  }
  // The very batch, where all of it joins: it is encoded once for all its readers.
  return { events: joined.length === events.length ? events : joined, gapAhead: false };
}

/** Reads on from `cursor` in the stores. `gapAhead`: there is more, but what comes next can't be read yet. */
export async function fillIn({ db, streams }: FollowDeps, runId: string, cursor: EventId): Promise<Found> {
  const live = await streams.read(runId, cursor).catch((): StreamEvent[] => []);
  const direct = join(cursor, live, sameAttempt);
  if (direct.events.length > 0) return direct;
  const stored = await readTranscript(db, runId, cursor);
  const merged = [...stored, ...live].toSorted(compareEventIds);
  const found = join(cursor, merged, follows);
  if (found.events.length > 0 || !found.gapAhead) return found;
  const [state] = await readRunStates(db, [runId], null);
  if (!state || !isTerminal(state.status)) return found;
  // It may have ended since the transcript was read; its end wrote down what only the worker still had.
  const whole = [...(await readTranscript(db, runId, cursor)), ...live].toSorted(compareEventIds);
  const again = join(cursor, whole, follows);
  return again.events.length > 0 ? again : sayGap(runId, cursor, whole);
}

/** The run is over and a part of its history is in neither store any more: say so, and go on behind it. */
function sayGap(runId: string, cursor: EventId, ahead: StreamEvent[]): Found {
  const next = ahead.find((event) => compareEventIds(event, cursor) > 0);
  if (!next) return { events: [], gapAhead: false };
  const place = { attempt: next.attempt, seq: next.seq - 1 };
  const gap = placeEvent(runId, place, { type: "gap", from: cursor, to: place, reason: "not_kept" }, new Date());
  return { events: [gap, next], gapAhead: false };
}
