import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { newId } from "../ids.ts";

/*
 * A credential reads `<prefix>_<id>_<secret>`: 32 hex digits that find its row (there with the kind as prefix: `key_`) and 256
 * random bits, of which only the SHA-256 is kept. So much randomness needs no slow hash.
 */
const prefixes = { key: "rf", session: "rfs", code: "rfc" } as const;
type CredentialKind = keyof typeof prefixes;

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** `text` is shown to the user once. */
export type NewCredential = { id: string; text: string; secret_hash: Buffer };

export function newCredential(kind: CredentialKind): NewCredential {
  const id = newId(kind);
  const secret = randomBytes(32).toString("hex");
  return { id, text: `${prefixes[kind]}_${id.slice(kind.length + 1)}_${secret}`, secret_hash: hashOf(secret) };
}

/** Returns a credential's id and the hash to compare with the row's; null for a text that is no credential of the kind. */
export function parseCredential(kind: CredentialKind, text: string): { id: string; secret_hash: Buffer } | null {
  const [, prefix, id, secret] = /^(rf[sc]?)_([0-9a-f]{32})_([0-9a-f]{64})$/.exec(text) ?? [];
  return prefix === prefixes[kind] && id && secret ? { id: `${kind}_${id}`, secret_hash: hashOf(secret) } : null;
}

/** Returns what stands for a secret that has no row, in hex. */
export const fingerprintOf = (secret: string): string => hashOf(secret).toString("hex");

/** True when two secrets are equal. The time does not depend on how much of them is. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hashOf(given), hashOf(expected));
