import { AppError } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";

/** Returns the log line after which a reader goes on. Throws bad_request when `text` is no id of the form `<epoch>-<seq>`. */
export function readLogCursor(text: string | undefined): EventId {
  if (text === undefined || text === "") return beforeFirst;
  const cursor = parseEventId(text);
  if (!cursor)
    throw new AppError(
      "bad_request",
      "malformed_cursor",
      "`Last-Event-ID` or `after` is not the id of a log line. An id has the form <epoch>-<seq>, as in 1-42.",
    );
  return cursor;
}
