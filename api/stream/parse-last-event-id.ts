import { AppError } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";

/** Returns the event after which a reader of a run goes on; without an id, the position before the first event. */
export function parseLastEventId(text: string | undefined): EventId {
  if (!text) return beforeFirst;
  const cursor = parseEventId(text);
  if (!cursor)
    throw new AppError(
      "bad_request",
      "bad_event_id",
      "`Last-Event-ID` or `after` is not an event id. An event id has the form <attempt>-<seq>, as in 1-17.",
    );
  return cursor;
}
