import type { NotificationRecord } from "../../schemas/notification.ts";
import type { Db } from "../client.ts";
import type { Notification } from "../generated/client.ts";
import { toNotificationRecord } from "./notification-record.ts";

/** Where a reader is: behind the notification `id`, which the transaction `xact` wrote. */
export type Place = { xact: bigint; id: string };

export type Told = { place: Place; notification: NotificationRecord };

/** Before everything that isn't committed yet. */
export async function presentPlace(db: Db): Promise<Place> {
  const { rows } = await db.sql.query<{ xact: string }>("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xact");
  return { xact: BigInt(rows[0]?.xact ?? 0), id: "" };
}

/**
 * A user's notifications behind a place, in an order to which nothing is ever added before what was read: by the
 * transactions that wrote them, and only of those that are older than all that still run.
 */
export async function readFrom(db: Db, user_id: string, { xact, id }: Place, limit: number): Promise<Told[]> {
  type Row = Omit<Notification, "xact"> & { xact: string };
  const { rows } = await db.sql.query<Row>({ ...statement, values: [user_id, xact, id, limit] });
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
    ORDER BY xact, id LIMIT $4`,
};
