import type { HookDelivery as HookDeliveryRecord } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";

type Status = HookDeliveryRecord["status"];
const status = t.enumeration<Status>("hook_delivery_status");

export type NewDelivery = {
  id: string;
  hook_id: string;
  /** Deliveries with the same key are one. Null: each is one of its own. */
  dedupe_key: string | null;
  event: string | null;
  status: Status;
  /** The id that its run will have. */
  run_id: string | null;
  bytes: number;
  sealed_request: Buffer | null;
};

/** A delivery, and whether it came before. */
export type KnownDelivery = { id: string; status: Status; run_id: string | null; is_new: boolean };

/**
 * Stores a delivery, or counts its repeat. Concurrent ones with the same key find the same row. One that was left out, as by a
 * filter that has changed since, is replaced by a repeat that is not: the row is that of the repeat from then on.
 */
export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<KnownDelivery> {
  const row = await insert.first(db.sql, delivery);
  if (!row) throw new Error("A delivery was not stored.");
  return row;
}

/** Its request is sealed under its own id. */
const replaced = joined(
  ["id", "event", "status", "run_id", "bytes", "sealed_request", "created_at"].map((name) => {
    const column = raw(name);
    return sql`${column} = CASE WHEN d.run_id IS NULL AND excluded.run_id IS NOT NULL THEN excluded.${column} ELSE d.${column} END`;
  }),
  ", ",
);

const insert = statement({
  name: "insert-hook-delivery",
  takes: {
    id: t.text,
    hook_id: t.text,
    dedupe_key: orNull(t.text),
    event: orNull(t.text),
    status,
    run_id: orNull(t.text),
    bytes: t.integer,
    sealed_request: orNull(t.bytea),
  },
  gives: { id: t.text, status, run_id: orNull(t.text), is_new: t.boolean },
  text: sql`
    INSERT INTO hook_deliveries AS d (id, hook_id, dedupe_key, event, status, run_id, bytes, sealed_request)
    VALUES ($id, $hook_id, $dedupe_key, $event, $status, $run_id, $bytes, $sealed_request)
    ON CONFLICT (hook_id, dedupe_key) DO UPDATE SET repeats = d.repeats + 1, ${replaced}
    RETURNING id, status, run_id, id = $id AS is_new`,
});

type DeliveryEnd = {
  id: string;
  status: Status;
  run_id: string | null;
  error_code: string | null;
  error_message: string | null;
};

/** Says what came of a delivery. One that has started a run stays so, whatever a repeat meets at the same time. */
export async function endDelivery(db: Db, ended: DeliveryEnd, replays = 0): Promise<void> {
  await end.count(db.sql, { ...ended, replays });
}

const end = statement({
  name: "end-hook-delivery",
  takes: {
    id: t.text,
    status,
    run_id: orNull(t.text),
    error_code: orNull(t.text),
    error_message: orNull(t.text),
    replays: t.integer,
  },
  text: sql`
    UPDATE hook_deliveries SET status = $status, run_id = $run_id, error_code = $error_code,
      error_message = $error_message, replays = replays + $replays
    WHERE id = $id AND ($status = 'accepted' OR $replays > 0 OR status <> 'accepted')`,
});
