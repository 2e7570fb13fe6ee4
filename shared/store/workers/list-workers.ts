import { sandboxReport } from "../../schemas/run-event.ts";
import type { FleetWorker } from "../../schemas/fleet.ts";
import type { Db } from "../client.ts";

/** The workers that gave a sign of life within `silentMs`. */
export async function listWorkers(db: Db, silentMs: number): Promise<FleetWorker[]> {
  const rows = await db.prisma.worker.findMany({
    where: { heartbeat_at: { gt: new Date(Date.now() - silentMs) } },
    orderBy: { id: "asc" },
  });
  return rows.map(({ started_at, heartbeat_at, sandbox, ...row }) => ({
    ...row,
    sandbox: sandboxReport.parse(sandbox),
    started_at: started_at.toISOString(),
    heartbeat_at: heartbeat_at.toISOString(),
  }));
}
