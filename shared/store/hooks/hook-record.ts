import { type HookRecord, hookRules, hookRecord } from "../../schemas/hook.ts";
import type { Hook } from "../generated/client.ts";

/** A hook's row as it is shown. `publicUrl`: where the service is reached. */
export function toHookRecord(row: Hook, publicUrl: string): HookRecord {
  const { last_refused_at: at, last_refused_code: code } = row;
  return {
    id: row.id,
    object: "hook",
    user_id: row.user_id,
    agent_id: row.agent_id,
    version: row.version,
    runtime_mode: hookRecord.shape.runtime_mode.parse(row.runtime_mode),
    url: `${publicUrl}/hooks/${row.id}`,
    verify: row.verify,
    ...hookRules.parse(row.rules),
    has_secret: row.sealed_secret !== null,
    previous_secret_until: row.previous_secret_until?.toISOString() ?? null,
    respond: row.respond,
    status: row.status,
    last_refusal: at === null || code === null ? null : { at: at.toISOString(), code },
    description: row.description,
    metadata: hookRecord.shape.metadata.parse(row.metadata),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
