import { createHash } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { ConnectionTarget } from "../../domain/connection/complete-connection.ts";
import type { ConnectionRecord } from "../../schemas/connection.ts";
import type { Db } from "../client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { toConnectionRecord } from "./connection-record.ts";

/** Whose connection a name means. `agent_id`: null for all of the owner's agents. */
export type ConnectionRef = { user_id: string; agent_id: string | null; name: string };

export type NewConnection = ConnectionTarget & {
  ref: ConnectionRef;
  secret: string;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  /** How many the user may have. */
  most: number;
};

const idOf = ({ user_id, agent_id, name }: ConnectionRef): string =>
  `conn_${createHash("sha256")
    .update(JSON.stringify([user_id, agent_id, name]))
    .digest("hex")
    .slice(0, 32)}`;

/** Sets a connection, whether it stood or not. Returns null when the user has as many others as allowed. */
export async function putConnection(
  db: Db,
  keyRing: KeyRing,
  { ref, secret, most, ...settings }: NewConnection,
): Promise<{ isNew: boolean; connection: ConnectionRecord } | null> {
  const id = idOf(ref);
  const sealed_secret = new Uint8Array(seal(keyRing, secret, sealedFields.connectionSecret(id)));
  const { user_id } = ref;
  return db.withMutex(userLockName("connections", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      const room = await isBelowUserLimit(queryableOf(tx), { thing: "connections", user_id, most });
      const isNew = (await tx.connection.count({ where: { id } })) === 0;
      if (isNew && !room) return null;
      const row = await tx.connection.upsert({
        where: { id },
        create: { id, ...ref, ...settings, sealed_secret },
        update: { ...settings, sealed_secret, updated_at: new Date() },
      });
      return { isNew, connection: toConnectionRecord(row) };
    }),
  );
}

/** Returns false when there is none. */
export async function deleteConnection(db: Db, ref: ConnectionRef): Promise<boolean> {
  const { count } = await db.prisma.connection.deleteMany({ where: { id: idOf(ref) } });
  return count === 1;
}

/** Returns null when there is none. */
export async function readConnection(db: Db, ref: ConnectionRef): Promise<ConnectionRecord | null> {
  const row = await db.prisma.connection.findUnique({ where: { id: idOf(ref) } });
  return row && toConnectionRecord(row);
}
