import type { HookDelivery as HookDeliveryRecord } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

type Status = HookDeliveryRecord["status"];
const status = t.enumeration<Status>("hook_delivery_status");

/** A delivery that may be repeated. */
export type ReplayableDelivery = { id: string; status: Status; run_id: string | null; sealed_request: Buffer | null };

/** Returns a delivery of a hook with its request. Null: the hook has no such delivery. */
export async function readReplayableDelivery(db: Db, hook_id: string, id: string): Promise<ReplayableDelivery | null> {
  return readKept.first(db.sql, { hook_id, id });
}

const kept = { id: t.text, status, run_id: orNull(t.text), sealed_request: orNull(t.bytea) };

const readKept = statement({
  name: "read-kept-delivery",
  takes: { hook_id: t.text, id: t.text },
  gives: kept,
  text: sql`SELECT id, status, run_id, sealed_request FROM hook_deliveries WHERE hook_id = $hook_id AND id = $id`,
});

export type DeliveriesOfTime = {
  since: Date;
  until: Date | null;
  status: Status;
  /** The last delivery of the request before. */
  after: string | null;
  limit: number;
};

/** Returns the ids of a hook's deliveries of a time that can be repeated, oldest first. */
export async function findDeliveries(db: Db, hook_id: string, asked: DeliveriesOfTime): Promise<string[]> {
  return (await find.rows(db.sql, { hook_id, ...asked })).map(({ id }) => id);
}

const find = statement({
  name: "find-hook-deliveries",
  takes: {
    hook_id: t.text,
    since: t.timestamptz,
    until: orNull(t.timestamptz),
    status,
    after: orNull(t.text),
    limit: t.integer,
  },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM hook_deliveries
    WHERE hook_id = $hook_id AND status = $status AND sealed_request IS NOT NULL AND created_at >= $since
      AND ($until IS NULL OR created_at < $until) AND ($after IS NULL OR (created_at, id) > (
        SELECT created_at, id FROM hook_deliveries WHERE id = $after AND hook_id = $hook_id))
    ORDER BY created_at, id LIMIT $limit`,
});
