import { terminalStatuses } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

/** Removes a run that has ended, with its transcript, timeline and artifacts. */
export async function deleteRun(db: Db, id: string, owner: Owner): Promise<"deleted" | "missing" | "not_ended"> {
  const { count } = await db.prisma.run.deleteMany({
    where: { id, ...ownedBy(owner), status: { in: [...terminalStatuses] } },
  });
  if (count === 1) return "deleted";
  const left = await db.prisma.run.findUnique({ where: { id, ...ownedBy(owner) }, select: { id: true } });
  return left ? "not_ended" : "missing";
}
