import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { newId } from "../ids.ts";

/*
 * A key reads `rf_<id>_<secret>`: 32 hex digits that find its row (there with the prefix `key_`) and 256 random bits, of
 * which only the SHA-256 is kept. So much randomness needs no slow hash.
 */
const shape = /^rf_([0-9a-f]{32})_([0-9a-f]{64})$/;

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** `text` is shown to the user once. */
export type NewApiKey = { id: string; text: string; secret_hash: Buffer };

export function newApiKey(): NewApiKey {
  const id = newId("key");
  const secret = randomBytes(32).toString("hex");
  return { id, text: `rf_${id.slice("key_".length)}_${secret}`, secret_hash: hashOf(secret) };
}

/** Returns the key's id and the hash to compare with the row's; null for a text that is no key. */
export function parseApiKey(text: string): { id: string; secret_hash: Buffer } | null {
  const [, id, secret] = shape.exec(text) ?? [];
  return id && secret ? { id: `key_${id}`, secret_hash: hashOf(secret) } : null;
}

/** True when two secrets are equal. The time does not depend on how much of them is. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hashOf(given), hashOf(expected));
