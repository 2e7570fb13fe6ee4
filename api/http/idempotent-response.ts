import { z } from "zod";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { conflict } from "../../shared/domain/errors/app-error.ts";
import { hashJson } from "../../shared/platform/hash-json.ts";
import { open, seal } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import type { Db } from "../../shared/store/client.ts";
import { claimKey, freeKey, saveAnswer, type RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import { idempotencyKeyReused } from "../../shared/domain/errors/validation-fault.ts";
import type { AnyResult } from "./define-operation.ts";
import { replayed } from "./idempotency-header.ts";

export type IdempotentResponse = (key: RepeatKey, body: unknown, act: () => Promise<AnyResult>) => Promise<AnyResult>;

/**
 * Performs a request once and returns its stored answer to each repetition. A repetition with another body is a 422; one during
 * the first request is a 409. A refused request frees its key.
 */
export function createIdempotentResponse(db: Db, keyRing: KeyRing): IdempotentResponse {
  return async (key, body, act) => {
    const field = sealedFields.answer(key.user_id, key.route, key.key);
    const hash = hashJson(body);
    const claimed = await claimKey(db, key, hash);
    if (claimed.kind === "repeat") {
      if (!claimed.request_hash.equals(hash)) throw idempotencyKeyReused();
      if (!claimed.answer)
        throw conflict(
          "request_in_progress",
          "The first request with this Idempotency-Key has not been answered yet. Try again later.",
        );
      const { status, text } = claimed.answer;
      const json = open(keyRing, Buffer.from(text, "base64"), field).toString("utf8");
      return { status, body: z.unknown().parse(JSON.parse(json)), headers: replayed };
    }
    const result = await act().catch(async (error: unknown) => {
      await freeKey(db, key).catch(() => undefined);
      throw error;
    });
    if ("respond" in result || "text" in result) throw new Error("Only a JSON answer can be stored for repetitions.");
    const text = seal(keyRing, JSON.stringify(result.body ?? null), field).toString("base64");
    await saveAnswer(db, key, { status: result.status, text });
    return result;
  };
}
