import { AppError } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";

/** The event after which a reader wants to go on: `Last-Event-ID`, else `?after=`, else the start. Malformed: 400. */
export function readCursor(lastEventId: string | undefined, after: string | undefined): EventId {
  const text = lastEventId || after;
  if (!text) return beforeFirst;
  const cursor = parseEventId(text);
  if (!cursor)
    throw new AppError("bad_request", "bad_event_id", "An event id has the form <attempt>-<seq>, as in 1-17.");
  return cursor;
}
