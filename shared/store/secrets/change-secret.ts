import { createHash } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { SecretRecord } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { toSecretRecord } from "./secret-record.ts";

/** Whose secret a name means. `agent_id`: null for all of the owner's agents. `tag`: null for all versions. */
export type SecretPlace = { user_id: string; agent_id: string | null; tag: string | null; name: string };

export type NewSecret = {
  place: SecretPlace;
  value: string;
  /** How many the user may have. */
  most: number;
};

const idOf = ({ user_id, agent_id, tag, name }: SecretPlace): string =>
  `secret_${createHash("sha256")
    .update(JSON.stringify([user_id, agent_id, tag, name]))
    .digest("hex")
    .slice(0, 32)}`;

/** Sets a secret, whether it stood or not. Returns null when the user has as many others as allowed. */
export async function putSecret(
  db: Db,
  keyRing: KeyRing,
  { place, value, most }: NewSecret,
): Promise<SecretRecord | null> {
  const id = idOf(place);
  const { user_id } = place;
  const sealed_value = new Uint8Array(seal(keyRing, value, sealedFields.ownerSecret(id)));
  return db.withMutex(userLockName("secrets", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      const room = await isBelowUserLimit(queryableOf(tx), { thing: "secrets", user_id, most });
      if (!room && (await tx.secret.count({ where: { id } })) === 0) return null;
      const row = await tx.secret.upsert({
        where: { id },
        create: { id, ...place, sealed_value },
        update: { sealed_value, updated_at: new Date() },
      });
      return toSecretRecord(row);
    }),
  );
}

/** Returns false when there is none. */
export async function deleteSecret(db: Db, place: SecretPlace): Promise<boolean> {
  const { count } = await db.prisma.secret.deleteMany({ where: { id: idOf(place) } });
  return count === 1;
}
