import { AppError } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";

/** Where a reader of a log is: `<epoch>-<seq>`. Throws for what can't be one. */
export function readLogCursor(text: string | undefined): EventId {
  if (text === undefined || text === "") return beforeFirst;
  const cursor = parseEventId(text);
  if (!cursor) throw new AppError("bad_request", "malformed_cursor", "A log line's id is like 1-42.");
  return cursor;
}
