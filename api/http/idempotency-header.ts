import { text } from "../../shared/schemas/primitives.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import type { Caller } from "./caller.ts";

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const idempotencyHeader = {
  "idempotency-key": text({ min: 1, max: 255 })
    .optional()
    .meta({ description: "Of requests with one key the first is done; the others get its answer. Kept for 24 hours." }),
};

/** Says that an answer is another request's. */
export const replayed = { "Idempotency-Replayed": "true" };

/** What a caller's requests to a route with this header share; null without one. */
export function repeatKeyOf({ owner, user_id }: Caller, route: string, key: string | undefined): RepeatKey | null {
  return key === undefined ? null : { user_id: owner ?? user_id, route, key };
}
