import { z } from "zod";

const anything = (json: Record<string, unknown>) => z.unknown().optional().meta(json);

const locItem = z.unknown().meta({ anyOf: [{ type: "string" }, { type: "integer" }] });

/** FastAPI's component, to the letter. We never send `input`. */
const validationError = z
  .object({
    loc: z.array(locItem).meta({ title: "Location" }),
    msg: z.string().meta({ title: "Message" }),
    type: z.string().meta({ title: "Error Type" }),
    input: anything({ title: "Input" }),
    ctx: anything({ title: "Context", type: "object" }),
  })
  .meta({ id: "ValidationError", title: "ValidationError" });

/** The body of each 422. */
export const httpValidationError = z
  .object({ detail: z.array(validationError).optional().meta({ title: "Detail" }) })
  .meta({ id: "HTTPValidationError", title: "HTTPValidationError" });

/** The body of every other fault: a sentence for people, a word for programs, and what to quote when asking us. */
export const errorBody = z.object({ detail: z.string(), code: z.string(), request_id: z.string() }).meta({
  id: "Error",
  examples: [{ detail: "No run with the id 'run_1'.", code: "run_not_found", request_id: "req_1" }],
});
