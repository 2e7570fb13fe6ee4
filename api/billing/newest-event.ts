import type { StoredEvent } from "../../shared/store/billing/read-events.ts";

/** Returns the newest event. Of events within one second the highest rank wins, then the greatest id. */
export function newest(events: readonly StoredEvent[], rank: (type: string) => number): StoredEvent | null {
  const later = (a: StoredEvent, b: StoredEvent): boolean => {
    const difference = a.created.getTime() - b.created.getTime() || rank(a.type) - rank(b.type);
    return difference === 0 ? a.event_id > b.event_id : difference > 0;
  };
  return events.reduce<StoredEvent | null>((best, event) => (best && later(best, event) ? best : event), null);
}
