/** The id of a run's event is `<attempt>-<seq>`. `seq` counts from 1 within an attempt. */
export type EventId = { attempt: number; seq: number };

export function parseEventId(text: string | undefined): EventId | null {
  const [, attempt, seq] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? "") ?? [];
  return attempt === undefined || seq === undefined ? null : { attempt: Number(attempt), seq: Number(seq) };
}

type Placed = EventId & { type: string; follows?: string | undefined };

/** Returns whether an event is the one after `last`, one that was read already, or whether events between them are missing. */
export function placeEvent(last: string | undefined, next: Placed): "next" | "repeated" | "hole" {
  const before = parseEventId(last) ?? { attempt: 0, seq: 0 };
  const distance = next.attempt - before.attempt || next.seq - before.seq;
  if (distance <= 0) return "repeated";
  // A gap names what can't be read any more.
  if (next.type === "gap") return "next";
  if (next.attempt === before.attempt) return distance === 1 ? "next" : "hole";
  const isDirect = next.follows === undefined || last === undefined || next.follows === last;
  return next.seq === 1 && isDirect ? "next" : "hole";
}
