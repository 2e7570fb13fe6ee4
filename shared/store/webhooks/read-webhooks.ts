import type { WebhookRecord } from "../../schemas/webhook.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { toWebhookRecord } from "./webhook-record.ts";

export type WebhookFilter = {
  user_id?: string | undefined;
  status?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

export function listWebhooks(
  db: Db,
  owner: Owner,
  filter: WebhookFilter,
  page: PageRequest,
): Promise<Page<WebhookRecord>> {
  const listing = {
    table: "webhooks",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["user_id = ?", filter.user_id],
      ["status = ?::webhook_status", filter.status],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    bytes: [bytesOf("metadata")],
    load: async (ids: string[]) =>
      (await db.prisma.webhook.findMany({ where: { id: { in: ids } } })).map(toWebhookRecord),
  } as const;
  return readPage(db, listing, page);
}

/** Returns null when the owner has no such webhook. */
export async function readWebhook(db: Db, id: string, owner: Owner): Promise<WebhookRecord | null> {
  const row = await db.prisma.webhook.findUnique({ where: { id, ...ownedBy(owner) } });
  return row && toWebhookRecord(row);
}
