import type { RunRecord } from "../../../schemas/run.ts";
import type { Db } from "../../client.ts";
import { type Owner, ownedBy } from "../../owned-by.ts";
import { withInterrupts } from "../questions/unanswered-interrupts.ts";
import { toRunRecord, unread, withCallback } from "./run-record.ts";

/** Returns null when the owner has no such run. */
export async function readRun(db: Db, id: string, owner: Owner): Promise<RunRecord | null> {
  const row = await db.prisma.run.findUnique({ where: { id, ...ownedBy(owner) }, include: withCallback, omit: unread });
  if (!row) return null;
  const [record = null] = await withInterrupts(db, [toRunRecord(row)]);
  return record;
}
