import { type UserRecord, userRecord } from "../../schemas/user.ts";
import type { User } from "../generated/client.ts";

/** The public record of a user's row. */
export function toUserRecord({ id, name, email, metadata, created_at, updated_at }: User): UserRecord {
  return {
    id,
    object: "user",
    name,
    email,
    metadata: userRecord.shape.metadata.parse(metadata),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
