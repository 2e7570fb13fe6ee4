import { z } from "zod";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";

/** The header with which EventSource resumes a stream. */
export const lastEventIdHeader = {
  "last-event-id": z
    .string()
    .optional()
    .meta({ description: "The id of the last event that was received. The stream goes on after it." }),
};

/** The query parameter that does the same. */
export const afterQuery = {
  after: z
    .string()
    .optional()
    .meta({ description: "The same as `Last-Event-ID`, for clients that can't send headers." }),
};

type Resume = { headers: { "last-event-id"?: string | undefined }; query: { after?: string | undefined } };

/** Returns `Last-Event-ID`, else `?after=`. Undefined: the reader starts from the beginning. */
export const readLastEventId = ({ headers, query }: Resume): string | undefined =>
  headers["last-event-id"] || query.after || undefined;

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
