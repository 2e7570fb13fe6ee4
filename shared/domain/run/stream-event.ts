import type { RunEventBody, StreamEvent } from "../../schemas/run-event.ts";
import type { EventId } from "./event-id.ts";

/** Returns an event with its run, id and time `at`, as the JSON text that the stream, the transcript and all clients get. */
export function placeEvent(run_id: string, { attempt, seq }: EventId, body: RunEventBody, at: Date): StreamEvent {
  const { type, ...rest } = body;
  const data = JSON.stringify({ type, run_id, attempt, seq, ts: at.toISOString(), ...rest });
  return { attempt, seq, type, data };
}
