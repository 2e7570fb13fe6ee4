import type { Principal } from "../../schemas/session.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

/** Returns false when the owner has no such session. */
export async function endSession(db: Db, id: string, owner: Owner): Promise<boolean> {
  return (await db.prisma.session.deleteMany({ where: { id, ...ownedBy(owner) } })).count > 0;
}

/** Ends all sessions of a key or another principal, and the codes that were to begin one. */
export async function endSessionsOf(db: Db, { kind, id }: Principal): Promise<void> {
  const where = { principal_kind: kind, principal_id: id };
  await db.prisma.sessionCode.deleteMany({ where });
  await db.prisma.session.deleteMany({ where });
}
