import type { RunEventBody, StreamEvent } from "../../schemas/run-event.ts";
import type { EventId } from "./event-id.ts";

/** Gives an event its place: the JSON text that the stream, the transcript and every client get. `at` is its time. */
export function placeEvent(run_id: string, { attempt, seq }: EventId, body: RunEventBody, at: Date): StreamEvent {
  const { type, ...rest } = body;
  const data = JSON.stringify({ type, run_id, attempt, seq, ts: at.toISOString(), ...rest });
  return { attempt, seq, type, data };
}
