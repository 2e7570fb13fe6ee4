import { z } from "zod";

/** How a reader says where its stream goes on: as EventSource does. */
export const resumeHeader = {
  "last-event-id": z
    .string()
    .optional()
    .meta({ description: "The id of the last event that came; the stream goes on after it." }),
};

/** The same in the query. */
export const resumeQuery = {
  after: z.string().optional().meta({ description: "The same as `Last-Event-ID`, for who can't send headers." }),
};
