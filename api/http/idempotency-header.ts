import { text } from "../../shared/schemas/primitives.ts";

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const idempotencyHeader = {
  "idempotency-key": text({ min: 1, max: 255 })
    .optional()
    .meta({ description: "Of requests with one key the first is done; the others get its answer. Kept for 24 hours." }),
};

/** Says that an answer is another request's. */
export const replayed = { "Idempotency-Replayed": "true" };
