/**
 * A stream id is `<attempt>-<seq>`: the Redis entry id and the SSE id alike. `seq` counts from 1 without a gap within its
 * attempt; attempt 0 holds what came before the first claim.
 */
export type EventId = { attempt: number; seq: number };

const pattern = /^(\d{1,9})-(\d{1,9})$/;

/** Before every event; the cursor of a reader that has seen nothing. */
export const beforeFirst: EventId = { attempt: 0, seq: 0 };

export function formatEventId({ attempt, seq }: EventId): string {
  return `${attempt}-${seq}`;
}

/** Null when `text` is not an event id. */
export function parseEventId(text: string): EventId | null {
  const match = pattern.exec(text);
  return match ? { attempt: Number(match[1]), seq: Number(match[2]) } : null;
}

/** Negative when `a` comes before `b`, 0 when they are the same. */
export function compareEventIds(a: EventId, b: EventId): number {
  return a.attempt - b.attempt || a.seq - b.seq;
}

/** Whether `next` can follow `last` with nothing lost between: the next seq, or the start of a later attempt. */
export function follows(last: EventId, next: EventId): boolean {
  return next.attempt === last.attempt ? next.seq === last.seq + 1 : next.attempt > last.attempt && next.seq === 1;
}
