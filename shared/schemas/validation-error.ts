import { z } from "zod";

/** The body of each 422: FastAPI's own components, to the letter. The service never sends `input`. */
export const validationErrorComponents = {
  HTTPValidationError: {
    properties: {
      detail: { items: { $ref: "#/components/schemas/ValidationError" }, type: "array", title: "Detail" },
    },
    type: "object",
    title: "HTTPValidationError",
  },
  ValidationError: {
    properties: {
      loc: { items: { anyOf: [{ type: "string" }, { type: "integer" }] }, type: "array", title: "Location" },
      msg: { type: "string", title: "Message" },
      type: { type: "string", title: "Error Type" },
      input: { title: "Input" },
      ctx: { type: "object", title: "Context" },
    },
    type: "object",
    required: ["loc", "msg", "type"],
    title: "ValidationError",
  },
} as const;

/** The body of every other error: a sentence for people, a code for programs, and the id under which the log has the request. */
export const errorBody = z.object({ detail: z.string(), code: z.string(), request_id: z.string() }).meta({
  id: "Error",
  example: { detail: "No run with the id 'run_1'.", code: "run_not_found", request_id: "req_1" },
});
