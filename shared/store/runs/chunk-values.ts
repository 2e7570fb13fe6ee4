import type { StreamEvent } from "../../schemas/run-event.ts";

/** What a transcript's chunk holds of gapless events: its first seq, its last, and [[seq, type, data], …] as JSON. */
export function chunkValues(events: StreamEvent[]): [number | undefined, number | undefined, string] {
  return [events[0]?.seq, events.at(-1)?.seq, JSON.stringify(events.map(({ seq, type, data }) => [seq, type, data]))];
}
