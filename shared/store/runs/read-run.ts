import type { RunRecord } from "../../schemas/run.ts";
import type { Db } from "../client.ts";
import { toRunRecord, withCallback } from "./run-record.ts";

/** Null when there is no such run. */
export async function readRun(db: Db, id: string): Promise<RunRecord | null> {
  const row = await db.prisma.run.findUnique({ where: { id }, include: withCallback });
  return row && toRunRecord(row);
}
