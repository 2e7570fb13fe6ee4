import type { Db } from "../client.ts";

/** Ends the lease of a message that wasn't tried to the end, so that another worker needn't wait for it. */
export async function giveBackMessage(db: Db, { id, tries }: { id: string; tries: number }): Promise<void> {
  await db.prisma.outboxMessage.updateMany({ where: { id, tries, status: "pending" }, data: { lease_until: null } });
}
