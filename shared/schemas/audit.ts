import { z } from "zod";
import { clientId, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

export const auditQuery = pageQuery.extend({
  user_id: clientId().optional(),
  actor: text({ max: 256 }).optional().meta({ description: "A key's id, `open`, `bootstrap` or `internal`." }),
  action: text({ max: 256 }).optional(),
  target_type: text({ max: 256 }).optional(),
  target_id: text({ max: 512 }).optional(),
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
    created_at: z.string(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof auditEntry>;
