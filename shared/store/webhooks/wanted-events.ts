import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { joined, literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Events of a run that is accepted or claimed. A webhook gets them only if it names them: `*` and `run.*` leave them out. */
export const namedEvents = ["run.queued", "run.started"] as const;
export type NamedEvent = (typeof namedEvents)[number];

/** Returns whether some webhook names the event, as of a second ago at most. */
export type WantsEvent = (type: NamedEvent) => Promise<boolean>;

const maxAgeMs = 1_000;

/**
 * Knows which of the named events some webhook wants, so that accepting and claiming runs costs nothing for an event that
 * nobody wants. Postgres is asked at most once a second.
 */
export function createWantsEvent(client: Queryable): WantsEvent {
  let readAt = -Infinity;
  let types: Promise<readonly string[]> = Promise.resolve([]);
  return async (type) => {
    if (performance.now() - readAt >= maxAgeMs) {
      readAt = performance.now();
      types = wanted.rows(client).then((rows) => rows.map((row) => row.type));
      types.catch(() => (readAt = -Infinity));
    }
    return (await types).includes(type);
  };
}

const wanted = statement({
  name: "wanted-events",
  gives: { type: t.text },
  text: sql`
    SELECT type FROM unnest(ARRAY[${joined(namedEvents.map(literal), ", ")}]) AS named (type)
    WHERE EXISTS (SELECT 1 FROM webhooks WHERE status = 'active' AND type = ANY(events))`,
});
