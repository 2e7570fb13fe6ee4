import { text } from "../../shared/schemas/primitives.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import type { Caller } from "./caller.ts";

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const idempotencyHeader = {
  "idempotency-key": text({ min: 1, max: 255 }).optional().meta({
    description:
      "Of the requests with the same key only the first is performed; the others get its answer. Keys are stored for 24 hours.",
  }),
};

/** Marks the stored answer of an earlier request. */
export const replayed = { "Idempotency-Replayed": "true" };

/** Returns what repeated requests have in common: user, route and key. Null without the header. */
export function repeatKeyOf({ owner, user_id }: Caller, route: string, key: string | undefined): RepeatKey | null {
  return key === undefined ? null : { user_id: owner ?? user_id, route, key };
}
