import { type ConnectionRecord, connectionRecord } from "../../schemas/connection.ts";
import type { Connection } from "../generated/client.ts";

/** A connection's row as it is shown: without its secret. */
export function toConnectionRecord(row: Connection): ConnectionRecord {
  const { sealed_secret: _secret, created_at, updated_at, ...shown } = row;
  return connectionRecord.parse({
    ...shown,
    object: "connection",
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  });
}
