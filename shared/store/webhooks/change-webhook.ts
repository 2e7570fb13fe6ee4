import type { KeyRing } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import type { WebhookPatch, WebhookRecord } from "../../schemas/webhook.ts";
import type { Db } from "../client.ts";
import { deleteAllOf } from "../delete-all-of.ts";
import type { Prisma } from "../generated/client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { toWebhookRecord } from "./webhook-record.ts";
import { insertUser } from "../users/insert-user.ts";
import { insertWebhookSecret } from "./webhook-secrets.ts";

export type NewWebhook = Pick<
  WebhookRecord,
  "user_id" | "url" | "events" | "agent_ids" | "statuses" | "tags" | "description" | "metadata"
>;

/** Makes a webhook with its first secret, which nobody can read again. Returns null when the user has `most` already. */
export async function insertWebhook(
  db: Db,
  keyRing: KeyRing,
  { metadata, ...webhook }: NewWebhook,
  most: number,
): Promise<(WebhookRecord & { secret: string }) | null> {
  return db.withMutex(userLockName("webhooks", webhook.user_id), () =>
    db.prisma.$transaction(async (tx) => {
      const { user_id } = webhook;
      if (!(await isBelowUserLimit(queryableOf(tx), { thing: "webhooks", user_id, most }))) return null;
      await insertUser(queryableOf(tx), user_id);
      const data = { id: newId("webhook"), ...webhook, metadata: metadata as Prisma.InputJsonObject };
      const row = await tx.webhook.create({ data });
      return { ...toWebhookRecord(row), secret: await insertWebhookSecret(tx, keyRing, row.id) };
    }),
  );
}

type WebhookChange = {
  owner: Owner;
  patch: WebhookPatch;
  /** Is told the events that the webhook has and will have, and may refuse the change by throwing. */
  check: (events: readonly string[]) => void;
};

/**
 * Merges a patch into a webhook; concurrent ones go one after the other. One that becomes active, or gets another URL, begins
 * with a clean record. Returns null when the owner has no such webhook.
 */
export async function patchWebhook(
  db: Db,
  id: string,
  { owner, patch: { metadata, ...patch }, check }: WebhookChange,
): Promise<WebhookRecord | null> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "webhooks", id);
    const webhook = await tx.webhook.findUnique({ where: { id, ...ownedBy(owner) } });
    if (!webhook) return null;
    check([...webhook.events, ...(patch.events ?? [])]);
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const merged = mergeMetadata(webhook.metadata, metadata);
    const isMoved = patch.url !== undefined && patch.url !== webhook.url;
    const cleared = {
      ...(patch.status === "active" && { disabled_reason: null }),
      ...((patch.status === "active" || isMoved) && { failures: 0, failing_since: null }),
    };
    const data = { ...given, ...cleared, metadata: merged as Prisma.InputJsonObject, updated_at: new Date() };
    return toWebhookRecord(await tx.webhook.update({ where: { id }, data }));
  });
}

/** Removes a webhook with what it was to be sent. Returns false when the owner has no such webhook. */
export async function deleteWebhook(db: Db, id: string, owner: Owner): Promise<boolean> {
  // Committed first: runs that end meanwhile enqueue nothing for it, and don't wait for the row.
  const which = { id, ...ownedBy(owner) };
  const { count: found } = await db.prisma.webhook.updateMany({ where: which, data: { status: "disabled" } });
  if (found === 0) return false;
  await deleteAllOf(db, "outbox", id);
  const { count } = await db.prisma.webhook.deleteMany({ where: which });
  return count === 1;
}
