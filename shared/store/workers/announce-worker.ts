import type { WorkerSandbox } from "../../schemas/fleet.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const card = {
  id: t.text,
  host: t.text,
  pid: t.integer,
  software: t.text,
  slots: t.integer,
  busy: t.integer,
  lease_ms: t.integer,
  adapters: listOf(t.text),
  pool: t.text,
  sandbox: t.json<WorkerSandbox>(),
  status: t.word<"active" | "draining" | "stalled">(),
};

/** What a worker says of itself. */
export type WorkerCard = Row<typeof card>;

/** How an operator sends a worker away: after the runs that it has, or at once. */
export type Dismissal = "drain" | "kill";

/** A worker's sign of life, by Postgres' clock. Returns what an operator wants of it, and Postgres' time in epoch ms. */
export async function announceWorker(db: Db, worker: WorkerCard): Promise<{ dismissal: Dismissal | null; at: number }> {
  const [row] = await announce.rows(db.sql, worker);
  if (!row) throw new Error("Postgres didn't answer a worker's sign of life.");
  return row;
}

const announce = statement({
  name: "announce-worker",
  takes: card,
  gives: { dismissal: orNull(t.word<Dismissal>()), at: t.double },
  text: sql`
    INSERT INTO workers (id, host, pid, software, slots, busy, lease_ms, adapters, pool, sandbox, status)
    VALUES ($id, $host, $pid, $software, $slots, $busy, $lease_ms, $adapters, $pool, $sandbox, $status)
    ON CONFLICT (id) DO UPDATE SET busy = $busy, status = $status, heartbeat_at = now()
    RETURNING dismissal, (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at`,
});

/** Takes workers off the list that said goodbye or have been silent for `silentMs`. */
export async function forgetWorkers(db: Db, silentMs: number): Promise<void> {
  await forgetSilent.count(db.sql, { silent_ms: silentMs });
}

const forgetSilent = statement({
  name: "forget-silent-workers",
  takes: { silent_ms: t.double },
  text: sql`DELETE FROM workers WHERE heartbeat_at < now() - $silent_ms * interval '1 ms'`,
});

export async function forgetWorker(db: Db, id: string): Promise<void> {
  await forget.count(db.sql, { id });
}

const forget = statement({
  name: "forget-worker",
  takes: { id: t.text },
  text: sql`DELETE FROM workers WHERE id = $id`,
});

/**
 * Sends a worker away; it hears of it at its next sign of life. Returns what stands now: a kill, once one was asked for. Null
 * when there is no such worker.
 */
export async function dismissWorker(db: Db, id: string, how: Dismissal): Promise<Dismissal | null> {
  return (await dismiss.first(db.sql, { id, how }))?.dismissal ?? null;
}

const dismiss = statement({
  name: "dismiss-worker",
  takes: { id: t.text, how: t.word<Dismissal>() },
  gives: { dismissal: t.word<Dismissal>() },
  text: sql`
    UPDATE workers SET dismissal = CASE WHEN dismissal = 'kill' THEN 'kill' ELSE $how END WHERE id = $id
    RETURNING dismissal`,
});
