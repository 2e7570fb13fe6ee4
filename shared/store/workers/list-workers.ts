import { type FleetWorker, workerSandbox } from "../../schemas/fleet.ts";
import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** The workers that gave a sign of life within `silentMs`. */
export async function listWorkers(db: Db, silentMs: number): Promise<FleetWorker[]> {
  const rows = await list.rows(db.sql, { silent_ms: silentMs });
  return rows.map(({ started_at, heartbeat_at, sandbox, ...row }) => ({
    ...row,
    adapters: [...row.adapters],
    sandbox: workerSandbox.parse(sandbox),
    started_at: started_at.toISOString(),
    heartbeat_at: heartbeat_at.toISOString(),
  }));
}

const list = statement({
  name: "list-workers",
  takes: { silent_ms: t.double },
  gives: {
    id: t.text,
    host: t.text,
    pid: t.integer,
    software: t.text,
    slots: t.integer,
    busy: t.integer,
    adapters: listOf(t.text),
    pool: t.text,
    sandbox: t.json(),
    status: t.word<FleetWorker["status"]>(),
    started_at: t.timestamptz,
    heartbeat_at: t.timestamptz,
  },
  text: sql`
    SELECT id, host, pid, software, slots, busy, adapters, pool, sandbox, status, started_at, heartbeat_at FROM workers
    WHERE heartbeat_at > now() - $silent_ms * interval '1 ms' ORDER BY id`,
});
