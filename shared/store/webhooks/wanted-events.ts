import type { Db, Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { joined, literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Events of a run that is accepted or claimed. A webhook gets them only if it names them: `*` and `run.*` leave them out. */
export const namedEvents = ["run.queued", "run.started"] as const;
export type NamedEvent = (typeof namedEvents)[number];

/**
 * Returns whether some webhook names the event, as of a second ago at most. So accepting and claiming runs costs nothing for
 * an event that nobody wants.
 */
export async function wantsEvent(db: Pick<Db, "sql" | "readCache">, type: NamedEvent): Promise<boolean> {
  const rows = await db.readCache("wanted-events", () => wanted.rows(db.sql));
  return rows.some((row) => row.type === type);
}

/** The same as of now, for a transaction: it must not wait for another connection. */
export async function wantsEventNow(client: Queryable, type: NamedEvent): Promise<boolean> {
  return (await wanted.rows(client)).some((row) => row.type === type);
}

const wanted = statement({
  name: "wanted-events",
  gives: { type: t.text },
  text: sql`
    SELECT type FROM unnest(ARRAY[${joined(namedEvents.map(literal), ", ")}]) AS named (type)
    WHERE EXISTS (SELECT 1 FROM webhooks WHERE status = 'active' AND type = ANY(events))`,
});
