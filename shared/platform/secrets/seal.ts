import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { KeyRing } from "../config/load-config.ts";

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with the ring's first key (AES-256-GCM, random 96-bit nonce). `aad` binds the value to its row and field: it is not
 * stored, and opening needs the same `aad`. Layout: length of the key's id (1 byte), the id, nonce, tag, ciphertext.
 */
export function seal(keyRing: KeyRing, plaintext: string | Buffer, aad: string): Buffer {
  const [first] = keyRing;
  if (!first) throw new Error("the key ring is empty");
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", first.key, nonce).setAAD(Buffer.from(aad));
  const text = typeof plaintext === "string" ? Buffer.from(plaintext) : plaintext;
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  const id = Buffer.from(first.id);
  return Buffer.concat([Buffer.of(id.length), id, nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens a value that any key of the ring sealed. Throws when the key is not in the ring, the value was changed or `aad` differs. */
export function open(keyRing: KeyRing, sealed: Uint8Array, aad: string): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const nonceAt = 1 + (bytes[0] ?? 0);
  const tagAt = nonceAt + nonceBytes;
  const textAt = tagAt + tagBytes;
  if (bytes.length < textAt) throw new Error("not a sealed value");
  const id = bytes.toString("utf8", 1, nonceAt);
  const key = keyRing.find((entry) => entry.id === id)?.key;
  if (!key) throw new Error("a sealed value names a key that the ring doesn't hold");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(nonceAt, tagAt), { authTagLength: tagBytes })
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(tagAt, textAt));
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]);
}
