import { z } from "zod";

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
