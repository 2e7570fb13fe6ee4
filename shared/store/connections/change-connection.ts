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
export type ConnectionPlace = { user_id: string; agent_id: string | null; name: string };

export type NewConnection = ConnectionTarget & {
  place: ConnectionPlace;
  secret: string;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  /** How many the user may have. */
  most: number;
};

const idOf = ({ user_id, agent_id, name }: ConnectionPlace): string =>
  `conn_${createHash("sha256")
    .update(JSON.stringify([user_id, agent_id, name]))
    .digest("hex")
    .slice(0, 32)}`;

/** Sets a connection, whether it stood or not. Returns null when the user has as many others as allowed. */
export async function putConnection(
  db: Db,
  keyRing: KeyRing,
  { place, secret, most, ...settings }: NewConnection,
): Promise<{ isNew: boolean; connection: ConnectionRecord } | null> {
  const id = idOf(place);
  const sealed_secret = new Uint8Array(seal(keyRing, secret, sealedFields.connectionSecret(id)));
  const { user_id } = place;
  return db.inTurn(userLockName("connections", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      const room = await isBelowUserLimit(queryableOf(tx), { thing: "connections", user_id, most });
      const isNew = (await tx.connection.count({ where: { id } })) === 0;
      if (isNew && !room) return null;
      const row = await tx.connection.upsert({
        where: { id },
        create: { id, ...place, ...settings, sealed_secret },
        update: { ...settings, sealed_secret, updated_at: new Date() },
      });
      return { isNew, connection: toConnectionRecord(row) };
    }),
  );
}

/** Returns false when there is none. */
export async function deleteConnection(db: Db, place: ConnectionPlace): Promise<boolean> {
  const { count } = await db.prisma.connection.deleteMany({ where: { id: idOf(place) } });
  return count === 1;
}

/** Returns null when there is none. */
export async function readConnection(db: Db, place: ConnectionPlace): Promise<ConnectionRecord | null> {
  const row = await db.prisma.connection.findUnique({ where: { id: idOf(place) } });
  return row && toConnectionRecord(row);
}
