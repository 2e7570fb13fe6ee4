import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";

export type IdPrefix =
  | "agent"
  | "run"
  | "thread"
  | "job"
  | "evt"
  | "user"
  | "msg"
  | "int"
  | "input"
  | "art"
  | "req"
  | "worker"
  | "secret"
  | "key"
  | "audit"
  | "bulk"
  | "notif"
  | "webhook"
  | "hook"
  | "delivery"
  | "turn"
  | "sub"
  | "txn"
  | "usage"
  | "mcp"
  | "session"
  | "code";

const idBytes = 16;
/** How many ids get their random bytes by one call. */
const idsAtOnce = 256;

function createIds(): (prefix: IdPrefix) => string {
  const pool = Buffer.alloc(idsAtOnce * idBytes);
  let used = pool.length;
  // Of the last id. Those of one millisecond are numbered, beginning anywhere in the lower half of 32 bits.
  let msecs = 0;
  let seq = 0;

  function takeRandom(): Buffer {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += idBytes;
    return pool.subarray(used - idBytes, used);
  }

  return (prefix) => {
    const random = takeRandom();
    const now = Date.now();
    seq = now > msecs ? random.readUInt32BE(0) >>> 1 : seq + 1;
    msecs = Math.max(msecs, now);
    return `${prefix}_${uuidv7({ random, msecs, seq }).replaceAll("-", "")}`;
  };
}

/** Returns a new id: `<prefix>_<32 hex digits>`. Ids sort by the time they were made (UUIDv7), those of one process also within a millisecond. */
export const newId: (prefix: IdPrefix) => string = createIds();
