import type { WorkerSandbox } from "../../schemas/fleet.ts";
import type { Db } from "../client.ts";

export type WorkerCard = {
  id: string;
  host: string;
  pid: number;
  software: string;
  slots: number;
  busy: number;
  adapters: string[];
  sandbox: WorkerSandbox;
  status: "active" | "draining" | "stalled";
};

/** How an operator sends a worker away: after the runs that it has, or at once. */
export type Dismissal = "drain" | "kill";

/** A worker's sign of life, by Postgres' clock. Gives what an operator wants of it. */
export async function announceWorker(db: Db, card: WorkerCard): Promise<Dismissal | null> {
  const { id, host, pid, software, slots, busy, adapters, sandbox, status } = card;
  const values = [id, host, pid, software, slots, busy, adapters, JSON.stringify(sandbox), status];
  const { rows } = await db.sql.query<{ dismissal: Dismissal | null }>({ ...announce, values });
  return rows[0]?.dismissal ?? null;
}

const announce = {
  name: "announce-worker",
  text: `
    INSERT INTO workers (id, host, pid, software, slots, busy, adapters, sandbox, status)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (id) DO UPDATE SET busy = $6, status = $9, heartbeat_at = now()
    RETURNING dismissal`,
};

/** Takes workers off the list that said goodbye or have been silent for `silentMs`. */
export async function forgetWorkers(db: Db, silentMs: number): Promise<void> {
  await db.sql.query("DELETE FROM workers WHERE heartbeat_at < now() - $1 * interval '1 ms'", [silentMs]);
}

export async function forgetWorker(db: Db, id: string): Promise<void> {
  await db.sql.query("DELETE FROM workers WHERE id = $1", [id]);
}
