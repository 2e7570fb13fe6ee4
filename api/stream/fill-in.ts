import { z } from "zod";
import { compareEventIds, type EventId, follows, formatEventId } from "../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { placeEvent } from "../../shared/domain/run/stream-event.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read-run-states.ts";
import { readTranscript } from "../../shared/store/runs/read-transcript.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";

type Stores = { db: Db; streams: Pick<RunStreams, "read"> };

export type Found = { events: StreamEvent[]; gapAhead: boolean };

/** Reads on from `cursor` in the stores. */
export type FillIn = (runId: string, cursor: EventId) => Promise<Found>;

/** Readers of one run are sent to the stores by the same event, all at once: they ask there once. */
export function createFillIn(stores: Stores): FillIn {
  const asked = new Map<string, Promise<Found>>();
  return (runId, cursor) => {
    const key = `${formatEventId(cursor)} ${runId}`;
    const found = asked.get(key) ?? fillIn(stores, runId, cursor);
    asked.set(key, found);
    // Whoever asks later may know of what came later.
    queueMicrotask(() => asked.delete(key));
    return found;
  };
}

/**
 * Whether nothing lies between them, as far as these two tell. A jump to a later attempt is looked up, since the stores may
 * hold more of the one before, unless the attempt's start says what it follows.
 */
export function adjoins(last: EventId, next: StreamEvent): boolean {
  if (next.attempt === last.attempt) return next.seq === last.seq + 1;
  return next.type === "run.started" && next.seq === 1 && readFollows(next.data) === formatEventId(last);
}

const started = z.object({ follows: z.string().optional() });
const readFollows = (data: string): string | undefined => started.parse(JSON.parse(data)).follows;

/** The part of `events` (in order) that continues `cursor` without a gap; what the reader has already is passed over. */
export function join(
  cursor: EventId,
  events: StreamEvent[],
  continues: (last: EventId, next: StreamEvent) => boolean,
): Found {
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
export async function fillIn({ db, streams }: Stores, runId: string, cursor: EventId): Promise<Found> {
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
  return again.events.length > 0 ? again : sayGap(runId, cursor, { ahead: whole, final: state.last.attempt });
}

/**
 * The run is over and a part of its history is in neither store any more: say so, and go on behind it. Behind a hole in an attempt
 * that was lost nothing is kept (see salvage-stream.ts), so there the rest of the attempt is missing too. `final`: the attempt that counts.
 */
function sayGap(runId: string, cursor: EventId, { ahead, final }: { ahead: StreamEvent[]; final: number }): Found {
  const next = ahead.find((event) => compareEventIds(event, cursor) > 0);
  if (!next) return { events: [], gapAhead: false };
  const { attempt } = next;
  const seq = attempt < final ? (ahead.findLast((event) => event.attempt === attempt) ?? next).seq : next.seq - 1;
  const place = { attempt, seq };
  const gap = placeEvent(runId, place, { type: "gap", from: cursor, to: place, reason: "not_kept" }, new Date());
  return { events: [gap], gapAhead: false };
}
