import { readFile } from "node:fs/promises";
import { type KeyRing, parseKeyRing } from "../config/load-config.ts";
import { type Loop, startLoop } from "../lifecycle/start-loop.ts";
import type { Log } from "../log.ts";

/** A key that is added to the file is known to every process within this time. */
const readMs = 2_000;

/**
 * Keeps a ring as its file has it: whoever holds the ring seals and opens with the new keys. While the file can't be read, or
 * holds no ring, the ring stays as it is.
 */
export function followKeys(ring: KeyRing, file: string, log: Log): Loop {
  return startLoop("encryption-keys", readMs, log, async () => {
    const read = parseKeyRing((await readFile(file, "utf8")).trim());
    if (read === null) throw new Error("ENCRYPTION_KEYS_FILE holds no key ring: <id>:<base64 of 32 bytes>, …");
    if (isSame(read, ring)) return;
    ring.splice(0, ring.length, ...read);
    log.info({ keys: read.map(({ id }) => id) }, "the encryption keys were read again");
  });
}

const isSame = (one: KeyRing, other: KeyRing): boolean =>
  one.length === other.length && one.every(({ id, key }, at) => id === other[at]?.id && key.equals(other[at].key));
