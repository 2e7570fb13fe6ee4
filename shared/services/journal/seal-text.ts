import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { open, seal } from "../../platform/secrets/seal.ts";

/** Longer ones are compressed. */
const plainBytes = 128 * 1024;
/** No text is longer: a few bytes may be compressed from gigabytes. */
const mostBytes = 64 * 1024 * 1024;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Seals a text, which may be long. The first byte tells a compressed one from a plain one. */
export async function sealText(keyRing: KeyRing, content: string, aad: string): Promise<Buffer> {
  const text = Buffer.from(content);
  const bytes = text.length > plainBytes ? [Buffer.of(1), await deflate(text, { level: 1 })] : [Buffer.of(0), text];
  return seal(keyRing, Buffer.concat(bytes), aad);
}

/** Throws for a text that can't be opened. */
export async function openText(keyRing: KeyRing, sealed: Buffer, aad: string): Promise<string> {
  const bytes = open(keyRing, sealed, aad);
  const text = bytes[0] === 1 ? await inflate(bytes.subarray(1), { maxOutputLength: mostBytes }) : bytes.subarray(1);
  return text.toString("utf8");
}
