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
/** Random bytes for the next ids: one call fetches those of many. */
const pool = Buffer.alloc(256 * idBytes);
let used = pool.length;
/** The time and the number of the last id. Ids of one millisecond are numbered, beginning anywhere in the lower half of 32 bits. */
let [msecs, seq] = [0, 0];

function takeRandom(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idBytes;
  return pool.subarray(used - idBytes, used);
}

/** Returns a new id: `<prefix>_<32 hex digits>`. Ids sort by the time they were made (UUIDv7), those of one process also within a millisecond. */
export function newId(prefix: IdPrefix): string {
  const random = takeRandom();
  const now = Date.now();
  if (now > msecs) [msecs, seq] = [now, random.readUInt32BE(0) >>> 1];
  else seq += 1;
  return `${prefix}_${uuidv7({ random, msecs, seq }).replaceAll("-", "")}`;
}
