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

/** Returns a new id: `<prefix>_<32 hex digits>`. Ids sort by the time they were made (UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${uuidv7().replaceAll("-", "")}`;
}
