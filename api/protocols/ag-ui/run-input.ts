import { z } from "zod";
import { choice, clientId, jsonArray, text } from "../../../shared/schemas/primitives.ts";

const message = z
  .looseObject({ id: text({ max: 512 }).optional(), role: text({ min: 1, max: 64 }) })
  .transform(({ content = null, ...rest }) => ({ ...rest, content }));

/** AG-UI's `RunAgentInput`, the body of its one request. */
export const runInput = z
  .looseObject({
    threadId: clientId(),
    runId: clientId(),
    messages: z.array(message).max(10_000).default([]),
    state: z.unknown().optional(),
    tools: jsonArray({ max: 1_000 }).default([]),
    context: jsonArray({ max: 1_000 }).default([]),
    forwardedProps: z.unknown().optional(),
    resume: z
      .array(
        z.looseObject({
          interruptId: text({ min: 1, max: 512 }),
          status: choice(["resolved", "cancelled"]),
          payload: z.unknown().optional(),
        }),
      )
      .max(100)
      .nullish(),
  })
  .meta({
    id: "AgUiRunInput",
    example: { threadId: "t-1", runId: "r-1", messages: [{ id: "m-1", role: "user", content: "Hi" }] },
  });
export type RunInput = z.infer<typeof runInput>;
