import type { EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Tail } from "../stream/tail.ts";

/** `queued`: the run's first event, for a run that this request made; null when it attaches to one that stands. */
export type Accepted = {
  run_id: string;
  thread_id: string | null;
  queued: StreamEvent | null;
  tail: Tail;
  /** Where its stream begins. */
  cursor: EventId;
};
