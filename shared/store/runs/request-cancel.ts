import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import type { SeenRun } from "./finalize-run.ts";
import { hasStatus } from "./has-status.ts";

/** As much of a run as one needs to act on it. */
export type RunHandle = SeenRun & { user_id: string; status: RunStatus };

/** Null when the owner has no such run. */
export async function readRunHandle(db: Db, id: string, owner: Owner): Promise<RunHandle | null> {
  const select = { id: true, user_id: true, attempt: true, worker_id: true, status: true };
  return db.prisma.run.findUnique({ where: { id, ...ownedBy(owner) }, select });
}

/** Asks the worker of a running run to cancel it. False: it moved on since it was seen. */
export async function requestCancel(db: Db, { id, attempt }: RunHandle): Promise<boolean> {
  const { rowCount } = await db.sql.query(
    `UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now())
     WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")}`,
    [id, attempt],
  );
  return rowCount === 1;
}
