import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import { type HookPatch, type HookRecord, type HookRules, hookRules } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { deleteAllOf } from "../delete-all-of.ts";
import type { Hook, Prisma } from "../generated/client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type NewHook = Pick<
  HookRecord,
  "user_id" | "agent_id" | "version" | "runtime_mode" | "verify" | "respond" | "description" | "metadata"
> & { rules: HookRules; secret: string | null };

/** Makes a hook under an id that can't be guessed. Returns null when the user has `most` already. */
export async function insertHook(
  db: Db,
  keyRing: KeyRing,
  { metadata, rules, secret, ...hook }: NewHook,
  most: number,
): Promise<Hook | null> {
  const { user_id } = hook;
  return db.withMutex(userLockName("hooks", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      if (!(await isBelowUserLimit(queryableOf(tx), { thing: "hooks", user_id, most }))) return null;
      const id = `hook_${randomBytes(16).toString("hex")}`;
      const data = {
        ...hook,
        id,
        metadata: metadata as Prisma.InputJsonObject,
        rules: rules as Prisma.InputJsonObject,
        sealed_secret: secret === null ? null : new Uint8Array(seal(keyRing, secret, sealedFields.hookSecret(id))),
      };
      return tx.hook.create({ data });
    }),
  );
}

/** Merges a patch into a hook; concurrent ones go one after the other. Returns null when the owner has no such hook. */
export async function patchHook(db: Db, id: string, owner: Owner, patch: HookPatch): Promise<Hook | null> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "hooks", id);
    const hook = await tx.hook.findUnique({ where: { id, ...ownedBy(owner) } });
    if (!hook) return null;
    const { metadata, signature, filter, map, dedupe, thread, signal, ...columns } = patch;
    const rules = { ...hookRules.parse(hook.rules), ...given({ signature, filter, map, dedupe, thread, signal }) };
    const data = {
      ...given(columns),
      rules: rules as Prisma.InputJsonObject,
      metadata: mergeMetadata(hook.metadata, metadata) as Prisma.InputJsonObject,
      updated_at: new Date(),
    };
    return tx.hook.update({ where: { id }, data });
  });
}

const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Removes a hook with its deliveries. Returns false when the owner has no such hook. */
export async function deleteHook(db: Db, id: string, owner: Owner): Promise<boolean> {
  const which = { id, ...ownedBy(owner) };
  // Committed first: what is sent to it meanwhile is refused.
  const { count: found } = await db.prisma.hook.updateMany({ where: which, data: { status: "paused" } });
  if (found === 0) return false;
  await deleteAllOf(db, "hook_deliveries", id);
  const { count } = await db.prisma.hook.deleteMany({ where: which });
  return count === 1;
}

export type NewHookSecret = { hook_id: string; secret: string; overlap_ms: number };

/** Gives a hook a new secret. The previous one is accepted for `overlap_ms`. Returns false when the owner has no such hook. */
export async function rotateHookSecret(
  db: Db,
  keyRing: KeyRing,
  { hook_id, secret, overlap_ms }: NewHookSecret,
  owner: Owner,
): Promise<boolean> {
  const sealed_secret = seal(keyRing, secret, sealedFields.hookSecret(hook_id));
  return (await rotate.count(db.sql, { hook_id, sealed_secret, overlap_ms, owner })) === 1;
}

const rotate = statement({
  name: "rotate-hook-secret",
  takes: { hook_id: t.text, sealed_secret: t.bytea, overlap_ms: t.double, owner: orNull(t.text) },
  text: sql`
    UPDATE hooks SET sealed_secret = $sealed_secret, updated_at = now(),
      sealed_previous_secret = CASE WHEN $overlap_ms > 0 THEN sealed_secret END,
      previous_secret_until = CASE WHEN $overlap_ms > 0 AND sealed_secret IS NOT NULL
        THEN now() + $overlap_ms * interval '1 ms' END
    WHERE id = $hook_id AND ($owner IS NULL OR user_id = $owner)`,
});
