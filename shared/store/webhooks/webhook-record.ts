import { type WebhookRecord, webhookRecord } from "../../schemas/webhook.ts";
import type { Webhook } from "../generated/client.ts";

export function toWebhookRecord(row: Webhook): WebhookRecord {
  return {
    id: row.id,
    object: "webhook",
    user_id: row.user_id,
    url: row.url,
    description: row.description,
    events: row.events,
    agent_ids: row.agent_ids,
    statuses: row.statuses,
    tags: row.tags,
    status: row.status,
    disabled_reason: row.disabled_reason,
    failures: row.failures,
    metadata: webhookRecord.shape.metadata.parse(row.metadata),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
