import { z } from "zod";
import { clientId, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

export const auditQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only acts on this user's things." }),
  actor: text({ max: 256 })
    .optional()
    .meta({ description: "A key's id, `open`, `bootstrap`, `internal`, or `service`: the service itself." }),
  action: text({ max: 256 }).optional().meta({ description: "An operation's name, such as `update_agent`." }),
  target_type: text({ max: 256 }).optional().meta({ description: "The kind of the changed thing, such as `agent`." }),
  target_id: text({ max: 512 }).optional().meta({ description: "The id of the changed thing." }),
  ...timeRange,
});
export type AuditFilter = Omit<z.output<typeof auditQuery>, "limit" | "after" | "order">;

export const auditEntry = z
  .object({
    id: z.string(),
    user_id: z.string().nullable(),
    actor: z.string(),
    action: z.string(),
    target_type: z.string(),
    target_id: z.string().nullable(),
    request_id: z.string().nullable(),
    ip: z.string().nullable(),
    detail: z
      .record(z.string(), z.unknown())
      .meta({ description: "What was done to the target, such as the version that became current. Never a secret." }),
    created_at: z.string(),
  })
  .meta({
    id: "AuditEntry",
    example: {
      id: "audit_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      user_id: "ada",
      actor: "key_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      action: "upgrade_agent",
      target_type: "agent",
      target_id: "hello-agent",
      request_id: "req_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      ip: "192.0.2.1",
      detail: { previous_version: "1.0.0", version: "1.1.0", changed: true },
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type AuditEntry = z.infer<typeof auditEntry>;
