import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

/** Returns null when the owner has no such agent. */
export async function readAgentOwner(db: Db, id: string, owner: Owner): Promise<string | null> {
  const agent = await db.prisma.agent.findUnique({ where: { id, ...ownedBy(owner) }, select: { user_id: true } });
  return agent?.user_id ?? null;
}
