import { type EventId, parseEventId } from "./event-id.ts";

/** What `run.started` and `step.retrying` say of the events before them. */
export type Withdrawal = {
  discards?: unknown;
  keeps?: string | undefined;
  voids?: readonly (readonly [string, string])[] | undefined;
};

/**
 * Returns which events a `run.started` or a `step.retrying` makes void, of those that were said before it. Void events aren't
 * part of what the run says: the run says again what still holds. A client that shows a run drops them.
 */
export function voidedBy({ discards, keeps, voids = [] }: Withdrawal): (event: EventId) => boolean {
  if (discards !== undefined) return () => true;
  const last = keeps === undefined ? null : parseEventId(keeps);
  const ranges = voids.map(([from, to]) => [parseEventId(from), parseEventId(to)] as const);
  return (event) => {
    if (last && event.attempt === last.attempt && event.seq > last.seq) return true;
    return ranges.some(
      ([from, to]) => from?.attempt === event.attempt && to !== null && from.seq <= event.seq && event.seq <= to.seq,
    );
  };
}
