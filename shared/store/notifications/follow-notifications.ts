import type { NotificationRecord } from "../../schemas/notification.ts";
import type { Db } from "../client.ts";
import type { Notification } from "../generated/client.ts";
import { toNotificationRecord } from "./notification-record.ts";

/** Where a reader is: behind the notification `id`, which the transaction `xact` wrote. */
export type Place = { xact: bigint; id: string };

export type Told = { place: Place; notification: NotificationRecord };

/** Before everything that isn't committed yet, and what is visible now (a pg_snapshot): some of that may stand behind the place. */
export async function readPresent(db: Db): Promise<{ place: Place; snapshot: string | null }> {
  const { rows } = await db.sql.query<{ xact: string; snapshot: string }>(
    "SELECT pg_snapshot_xmin(now)::text AS xact, now::text AS snapshot FROM pg_current_snapshot() AS now",
  );
  return { place: { xact: BigInt(rows[0]?.xact ?? 0), id: "" }, snapshot: rows[0]?.snapshot ?? null };
}

/** `known`: what was visible in that snapshot is left out. */
type Wanted = { place: Place; known: string | null; limit: number };

/**
 * A user's notifications behind a place, in an order to which nothing is ever added before what was read: by the
 * transactions that wrote them, and only of those that are older than all that still run.
 */
export async function readFrom(db: Db, user_id: string, { place, known, limit }: Wanted): Promise<Told[]> {
  type Row = Omit<Notification, "xact"> & { xact: string };
  const { rows } = await db.sql.query<Row>({ ...statement, values: [user_id, place.xact, place.id, limit, known] });
  return rows.map((row) => ({
    place: { xact: BigInt(row.xact), id: row.id },
    notification: toNotificationRecord(row),
  }));
}

const statement = {
  name: "follow-notifications",
  text: `
    SELECT * FROM notifications
    WHERE user_id = $1 AND in_app AND (xact, id) > ($2::bigint, $3)
      AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
      AND ($5::pg_snapshot IS NULL OR NOT pg_visible_in_snapshot(xact::text::xid8, $5::pg_snapshot))
    ORDER BY xact, id LIMIT $4`,
};
