import { z } from "zod";
import { compareEventIds, type EventId, follows, formatEventId } from "../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { placeEvent } from "../../shared/domain/run/stream-event.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { readTranscript } from "../../shared/store/runs/transcript/read-transcript.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";

type Stores = { db: Db; streams: Pick<RunStreams, "read"> };

/** `gapAhead`: the run has more events, but the next one can't be read yet. */
export type BackfillPage = { events: StreamEvent[]; gapAhead: boolean };

/** Reads the events after `cursor` in Redis and Postgres. */
export type Backfill = (runId: string, cursor: EventId) => Promise<BackfillPage>;

/** One event sends all readers of a run to the stores at the same moment. They share one read. */
export function createBackfill(stores: Stores): Backfill {
  const reading = new Map<string, Promise<BackfillPage>>();
  return (runId, cursor) => {
    const key = `${formatEventId(cursor)} ${runId}`;
    const found = reading.get(key) ?? backfill(stores, runId, cursor);
    reading.set(key, found);
    // A later caller may have heard of a later event, so it gets a read of its own.
    queueMicrotask(() => reading.delete(key));
    return found;
  };
}

/**
 * True when `next` is known to follow `last` directly. At the start of a later attempt it is known only when that
 * attempt's `run.started` names the event that it follows; otherwise the stores may hold more of the earlier attempt.
 */
export function adjoins(last: EventId, next: StreamEvent): boolean {
  if (next.attempt === last.attempt) return next.seq === last.seq + 1;
  return next.type === "run.started" && next.seq === 1 && readFollows(next.data) === formatEventId(last);
}

const started = z.object({ follows: z.string().optional() });
const readFollows = (data: string): string | undefined => started.parse(JSON.parse(data)).follows;

/** Returns the part of `events` (in order) that continues `cursor` without a gap. Events up to `cursor` are skipped. */
export function join(
  cursor: EventId,
  events: StreamEvent[],
  continues: (last: EventId, next: StreamEvent) => boolean,
): BackfillPage {
  const joined: StreamEvent[] = [];
  let last = cursor;
  for (const event of events) {
    if (compareEventIds(event, last) <= 0) continue;
    if (!continues(last, event)) return { events: joined, gapAhead: true };
    joined.push(event);
    last = event;
  }
  // The same array when all of it joins: a batch is encoded once for all readers of that array.
  return { events: joined.length === events.length ? events : joined, gapAhead: false };
}

/** Reads the events after `cursor`: from Redis where it continues the cursor, else from the transcript as well. */
export async function backfill({ db, streams }: Stores, runId: string, cursor: EventId): Promise<BackfillPage> {
  const live = await streams.read(runId, cursor).catch((): StreamEvent[] => []);
  const direct = join(cursor, live, adjoins);
  if (direct.events.length > 0) return direct;
  const stored = await readTranscript(db, runId, cursor);
  const found = joinStored(cursor, stored, live);
  const [next] = merge(stored, live);
  if (found.events.length > 0 || !found.gapAhead || !next) return found;
  const [state] = await readRunStates(db, [runId], null);
  const isOver = state && (isTerminal(state.status) || next.attempt < state.last.attempt);
  if (!isOver) return found;
  // The attempt may have ended after the transcript was read. Its end then stored events that only the worker had.
  const whole = await readTranscript(db, runId, cursor);
  const again = joinStored(cursor, whole, live);
  if (again.events.length > 0) return again;
  return gapEvent(runId, cursor, { ahead: merge(whole, live), final: state.last.attempt });
}

const merge = (stored: StreamEvent[], live: StreamEvent[]): StreamEvent[] =>
  [...stored, ...live].toSorted(compareEventIds);

/**
 * Joins a page of the transcript and what Redis holds. The transcript may have more behind the page, so a later attempt of
 * Redis' doesn't follow the page. Within the transcript one does: what an attempt left in Redis alone is written to the
 * transcript before anything of a later attempt is.
 */
function joinStored(cursor: EventId, stored: StreamEvent[], live: StreamEvent[]): BackfillPage {
  const end = stored.at(-1);
  const continues = (last: EventId, next: StreamEvent): boolean =>
    follows(last, next) && (next.attempt === last.attempt || !end || compareEventIds(next, end) <= 0);
  return join(cursor, merge(stored, live), continues);
}

/**
 * Returns a `gap` event for a part of an ended attempt's history that neither store holds any more. Of a lost attempt nothing is
 * stored behind its first hole (see salvage-stream.ts), so the gap covers the rest of that attempt. `final`: the number of the
 * last attempt.
 */
function gapEvent(
  runId: string,
  cursor: EventId,
  { ahead, final }: { ahead: StreamEvent[]; final: number },
): BackfillPage {
  const next = ahead.find((event) => compareEventIds(event, cursor) > 0);
  if (!next) return { events: [], gapAhead: false };
  const { attempt } = next;
  const seq = attempt < final ? (ahead.findLast((event) => event.attempt === attempt) ?? next).seq : next.seq - 1;
  const place = { attempt, seq };
  const gap = placeEvent(runId, place, { type: "gap", from: cursor, to: place, reason: "not_kept" }, new Date());
  return { events: [gap], gapAhead: false };
}
