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
  | "art"
  | "req"
  | "worker"
  | "secret"
  | "key"
  | "audit"
  | "bulk"
  | "notif"
  | "webhook"
  | "turn"
  | "sub"
  | "txn"
  | "usage";

/** A new id: `<prefix>_<32 hex digits>`, sorting by the time it was made (UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${uuidv7().replaceAll("-", "")}`;
}
