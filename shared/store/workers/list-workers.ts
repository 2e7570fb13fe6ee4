import { type FleetWorker, workerSandbox } from "../../schemas/fleet.ts";
import type { Db } from "../client.ts";

type Row = Omit<FleetWorker, "started_at" | "heartbeat_at"> & { started_at: Date; heartbeat_at: Date };

/** The workers that gave a sign of life within `silentMs`. */
export async function listWorkers(db: Db, silentMs: number): Promise<FleetWorker[]> {
  const { rows } = await db.sql.query<Row>({ ...statement, values: [silentMs] });
  return rows.map(({ started_at, heartbeat_at, sandbox, ...row }) => ({
    ...row,
    sandbox: workerSandbox.parse(sandbox),
    started_at: started_at.toISOString(),
    heartbeat_at: heartbeat_at.toISOString(),
  }));
}

const statement = {
  name: "list-workers",
  text: `
    SELECT id, host, pid, software, slots, busy, adapters, sandbox, status, started_at, heartbeat_at FROM workers
    WHERE heartbeat_at > now() - $1 * interval '1 ms' ORDER BY id`,
};
