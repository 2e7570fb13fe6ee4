import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import type { UserPatch, UserRecord } from "../../schemas/user.ts";
import type { Db } from "../client.ts";
import { deleteAllOf } from "../delete-all-of.ts";
import type { Prisma } from "../generated/client.ts";
import { lockRow } from "../prisma-transaction.ts";
import { isPrismaUniqueViolation } from "../sql-faults.ts";
import { deleteWebhook } from "../webhooks/change-webhook.ts";
import { notFound } from "../../domain/errors/app-error.ts";
import type { Owner } from "../owned-by.ts";
import { insertUser } from "./insert-user.ts";
import { toUserRecord } from "./user-record.ts";

/** Makes a user. Returns null when the id is, or was, another user's: runs and bookings stay under the id of a deleted user. */
export async function createUser(db: Db, id: string, profile: UserPatch): Promise<UserRecord | null> {
  const { name = null, email = null, metadata } = profile;
  const data = { id, name, email, metadata: (metadata ?? {}) as Prisma.InputJsonObject };
  try {
    return toUserRecord(await db.prisma.user.create({ data }));
  } catch (error) {
    if (isPrismaUniqueViolation(error)) return null;
    throw error;
  }
}

/** Makes the row of a user who has none, as one who only ever ran agents. Throws not_found for a user who was deleted. */
export async function ensureUser(db: Db, id: string): Promise<UserRecord> {
  await insertUser(db.sql, id);
  const user = await db.prisma.user.findUniqueOrThrow({ where: { id } });
  if (user.deleted_at !== null) throw notFound("user", id);
  return toUserRecord(user);
}

/** Merges a patch into a user; null empties a field. Returns null when there is no such user, or `owner` is another one. */
export async function patchUser(db: Db, id: string, owner: Owner, patch: UserPatch): Promise<UserRecord | null> {
  if (owner !== null && owner !== id) return null;
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "users", id);
    const user = await tx.user.findUnique({ where: { id, deleted_at: null } });
    if (!user) return null;
    const { name = user.name, email = user.email, metadata } = patch;
    const merged = mergeMetadata(user.metadata, metadata);
    const data = { name, email, metadata: merged as Prisma.InputJsonObject, updated_at: new Date() };
    return toUserRecord(await tx.user.update({ where: { id }, data }));
  });
}

/**
 * Empties a user's row, revokes the user's keys, ends the sessions and removes the webhooks, connections, secrets, notifications and the
 * store's items. The row stays, since bookings and runs name it: nobody gets the id again.
 * `has_agents`: the user's agents have to be deleted first. `has_subscription`: the payment provider would go on charging for one.
 */
export async function deleteUser(
  db: Db,
  id: string,
  owner: Owner,
): Promise<"deleted" | "missing" | "has_agents" | "has_subscription"> {
  if (owner !== null && owner !== id) return "missing";
  const fate = await markDeleted(db, id);
  // What was begun before may have been cut off.
  if (fate === "deleted" || fate === "deleted_before") await deleteRowsOfUser(db, id);
  return fate === "deleted_before" ? "missing" : fate;
}

/** What follows may take long, so what the user could use is gone before. */
function markDeleted(db: Db, id: string) {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "users", id);
    const user = await tx.user.findUnique({ where: { id }, select: { deleted_at: true } });
    if (!user) return "missing" as const;
    if (user.deleted_at) return "deleted_before" as const;
    if (await tx.agent.findFirst({ where: { user_id: id }, select: { id: true } })) return "has_agents" as const;
    const charged = { user_id: id, provider_subscription_id: { not: null }, status: { not: "canceled" } } as const;
    if (await tx.subscription.findFirst({ where: charged, select: { id: true } })) return "has_subscription" as const;
    const now = new Date();
    await tx.apiKey.updateMany({ where: { user_id: id, revoked_at: null }, data: { revoked_at: now } });
    await tx.callbackSecret.deleteMany({ where: { user_id: id } });
    await tx.session.deleteMany({ where: { user_id: id } });
    await tx.sessionCode.deleteMany({ where: { user_id: id } });
    await tx.connection.deleteMany({ where: { user_id: id } });
    await tx.secret.deleteMany({ where: { user_id: id } });
    await tx.notificationPreference.deleteMany({ where: { user_id: id } });
    await tx.webhook.updateMany({ where: { user_id: id }, data: { status: "disabled" } });
    await tx.user.update({ where: { id }, data: { name: null, email: null, metadata: {}, deleted_at: now } });
    return "deleted" as const;
  });
}

/** Deletes what a user may have a great deal of. */
async function deleteRowsOfUser(db: Db, user_id: string): Promise<void> {
  const webhooks = await db.prisma.webhook.findMany({ where: { user_id }, select: { id: true } });
  for (const { id } of webhooks) await deleteWebhook(db, id, null);
  for (const kind of ["store_items", "notifications", "idempotency_keys", "bulk_operations"] as const)
    await deleteAllOf(db, kind, user_id);
}
