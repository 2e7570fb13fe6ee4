import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { compareEventIds, type EventId, follows, formatEventId } from "../../shared/run/event-id.ts";
import { isTerminal, isTerminalEvent } from "../../shared/run/run-status.ts";
import { placeEvent } from "../../shared/run/stream-event.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read-run-states.ts";
import { readTranscript } from "../../shared/store/runs/read-transcript.ts";
import type { RunStreams } from "../../shared/stream/run-streams.ts";
import type { Tail } from "./tail.ts";

type Deps = { db: Db; streams: RunStreams };

/** How long a gap may wait for the worker to write behind what Redis lost. */
const gapPollMs = 250;

/**
 * A run's events after `cursor`, in batches, each event once and in order, until its terminal one, or until it waits for a
 * person; it then returns.
 *
 * Backfill: what the stores hold, Redis where it joins the cursor, else the transcript. Cutover: `tail` was opened before
 * the backfill began, so whatever the backfill did not hold is in the tail. Live: what the tail brings, as long as each
 * event follows the last by arithmetic; when one doesn't, back to the backfill. It never waits for Redis to be there.
 *
 * `fresh`: the run was made after `tail` listened, so there is nothing to fill in. Returns early when the tail ends (the
 * process goes) or is closed by the caller (the reader went).
 */
export async function* followRun(
  deps: Deps,
  runId: string,
  tail: Tail,
  start: { cursor: EventId; fresh: boolean },
): AsyncGenerator<StreamEvent[], void> {
  let cursor = start.cursor;
  let inDoubt = !start.fresh;
  for (;;) {
    const found = inDoubt ? await fillIn(deps, runId, cursor) : await listen(tail, cursor);
    if (found === null) return;
    const last = found.events.at(-1);
    if (last) {
      cursor = last;
      yield found.events;
      if (isTerminalEvent(last.type) || (await isAside(deps, runId, last))) return;
    } else if (inDoubt && found.gapAhead) await sleep(gapPollMs);
    // The stores are read until they hold nothing more; the tail, until it skips something.
    inDoubt = found.gapAhead || (inDoubt && found.events.length > 0);
  }
}

/** Whether a run waits for a person: its stream ends there, and goes on under the same id once it was answered. */
async function isAside({ db }: Deps, runId: string, last: StreamEvent): Promise<boolean> {
  if (last.type !== "run.interrupted") return false;
  const [state] = await readRunStates(db, [runId], null);
  return state?.status === "interrupted";
}

/** What the tail brings next, as far as it joins. Null: the tail has ended. */
async function listen(tail: Tail, cursor: EventId): Promise<Found | null> {
  const tidings = await tail.next(cursor);
  if (tidings.kind === "end") return null;
  return tidings.kind === "events" ? join(cursor, tidings.events, adjoins) : { events: [], gapAhead: true };
}

export type Found = { events: StreamEvent[]; gapAhead: boolean };

/**
 * Whether nothing lies between them, as far as these two tell. A jump to a later attempt is looked up, since the stores may
 * hold more of the one before, unless the attempt's start says what it follows.
 */
function adjoins(last: EventId, next: StreamEvent): boolean {
  if (next.attempt === last.attempt) return next.seq === last.seq + 1;
  return next.type === "run.started" && next.seq === 1 && readFollows(next.data) === formatEventId(last);
}

const started = z.object({ follows: z.string().optional() });
const readFollows = (data: string): string | undefined => started.parse(JSON.parse(data)).follows;

/** The part of `events` (in order) that continues `cursor` without a gap; what the reader has already is passed over. */
function join(cursor: EventId, events: StreamEvent[], continues: (last: EventId, next: StreamEvent) => boolean): Found {
  const joined: StreamEvent[] = [];
  let last = cursor;
  for (const event of events) {
    if (compareEventIds(event, last) <= 0) continue;
    if (!continues(last, event)) return { events: joined, gapAhead: true };
    joined.push(event);
    last = event;
  }
  return { events: joined, gapAhead: false };
}

/** Reads on from `cursor` in the stores. `gapAhead`: there is more, but what comes next can't be read yet. */
export async function fillIn({ db, streams }: Deps, runId: string, cursor: EventId): Promise<Found> {
  const live = await streams.read(runId, cursor).catch((): StreamEvent[] => []);
  const direct = join(cursor, live, adjoins);
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
