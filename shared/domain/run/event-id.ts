/**
 * The id of an event: `<attempt>-<seq>`, both the Redis entry id and the SSE id. `seq` counts from 1 without a gap within an attempt.
 * Attempt 0 has the events before the first claim.
 */
export type EventId = { attempt: number; seq: number };

const pattern = /^(\d{1,9})-(\d{1,9})$/;

/** The position before the first event: the cursor of a new reader. */
export const beforeFirst: EventId = { attempt: 0, seq: 0 };

export function formatEventId({ attempt, seq }: EventId): string {
  return `${attempt}-${seq}`;
}

/** Returns null when `text` is no event id. */
export function parseEventId(text: string): EventId | null {
  const match = pattern.exec(text);
  return match ? { attempt: Number(match[1]), seq: Number(match[2]) } : null;
}

/** Returns a negative number when `a` comes before `b`, and 0 when they are equal. */
export function compareEventIds(a: EventId, b: EventId): number {
  return a.attempt - b.attempt || a.seq - b.seq;
}

/** True when no event can be missing between `last` and `next`: the next seq, or the start of a later attempt. */
export function follows(last: EventId, next: EventId): boolean {
  return next.attempt === last.attempt ? next.seq === last.seq + 1 : next.attempt > last.attempt && next.seq === 1;
}
