import { pageBytes } from "../../domain/json/cut-page.ts";
import type { NotificationRecord } from "../../schemas/notification.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { readHorizon } from "../read-horizon.ts";
import { joined, literal, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { notificationColumns, toNotificationRecord } from "./notification-record.ts";

/** Where a reader is: behind the notification `id`, which the transaction `xact` wrote. */
export type NotificationCursor = { xact: bigint; id: string };

export type Told = { place: NotificationCursor; notification: NotificationRecord };

/** Before everything that isn't committed yet, and what is visible now (a pg_snapshot): some of that may stand behind the place. */
export async function readPresent(db: Db): Promise<{ place: NotificationCursor; snapshot: string | null }> {
  const xact = await readHorizon(db.sql);
  const row = await present.first(db.sql);
  return { place: { xact, id: "" }, snapshot: row?.snapshot ?? null };
}

const present = statement({
  name: "read-present",
  gives: { snapshot: t.text },
  text: sql`SELECT pg_current_snapshot()::text AS snapshot`,
});

/** `known`: what was visible in that snapshot is left out. */
type FollowQuery = { place: NotificationCursor; known: string | null; limit: number };

/**
 * A user's notifications behind a place, in an order to which nothing is ever added before what was read: by the
 * transactions that wrote them, up to the horizon. At most `limit`, and none behind the one that fills `pageBytes`; none
 * at all only where no more can be read yet.
 */
export async function readFrom(db: Db, user_id: string, { place, known, limit }: FollowQuery): Promise<Told[]> {
  const horizon = String(await readHorizon(db.sql));
  const rows = await follow.rows(db.sql, { user_id, xact: String(place.xact), id: place.id, horizon, known, limit });
  return rows.map((row) => ({
    place: { xact: BigInt(row.xact), id: row.id },
    notification: toNotificationRecord(row),
  }));
}

const shown = joined(Object.keys(notificationColumns).map(raw), ", ");

const follow = statement({
  name: "follow-notifications",
  takes: {
    user_id: t.text,
    xact: t.bigint,
    id: t.text,
    horizon: t.bigint,
    known: orNull(t.text),
    limit: t.integer,
  },
  gives: { ...notificationColumns, xact: t.bigint },
  text: sql`
    SELECT ${shown}, xact FROM (
      SELECT *, sum(octet_length(data::text)) OVER (
        ORDER BY xact, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_ahead
      FROM (
        SELECT ${shown}, xact FROM notifications
        WHERE user_id = $user_id AND in_app AND (xact, id) > ($xact, $id)
          AND xact < $horizon
          AND ($known IS NULL OR NOT pg_visible_in_snapshot(xact::text::xid8, $known::pg_snapshot))
        ORDER BY xact, id LIMIT $limit
      ) AS unread
    ) AS page WHERE coalesce(bytes_ahead, 0) < ${literal(pageBytes)}
    ORDER BY xact, id`,
});
