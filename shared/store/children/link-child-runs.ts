import type { Queryable } from "../client.ts";
import { type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import { endWaits } from "../journal/end-waits.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const columns = {
  child_id: t.text,
  /** Of the entry that its end becomes. */
  key: t.text,
  detached: t.boolean,
  sealed_entry: t.bytea,
};

/** A run that was inserted in the same transaction. */
export type NewChildLink = Row<typeof columns>;

/**
 * Makes runs children of another one, which waits for those that aren't detached: the entry of a detached one is its start. The
 * caller holds the parent's lock.
 */
export async function linkChildRuns(
  client: Queryable,
  parent: { id: string; attempt: number; root_run_id: string; depth: number },
  children: readonly NewChildLink[],
): Promise<void> {
  const lists = input.listsOf(children);
  await adopt.count(client, { ...parent, ...lists });
  await openWaits.count(client, { id: parent.id, attempt: parent.attempt, ...lists });
  if (children.some(({ detached }) => detached)) await endDetached.count(client, { id: parent.id });
}

const input = parameterRows(columns);

const adopt = statement({
  name: "adopt-runs",
  takes: { ...input.takes, id: t.text, attempt: t.integer, root_run_id: t.text, depth: t.integer },
  text: sql`
    WITH ${input.cte}, parent AS (
      UPDATE runs SET has_children = true WHERE id = $id AND attempt = $attempt AND NOT has_children
        AND EXISTS (SELECT FROM input WHERE NOT detached)
    )
    UPDATE runs SET parent_run_id = $id, root_run_id = $root_run_id, depth = $depth, parent_key = input.key,
      detached = input.detached, tells_parent = NOT input.detached
    FROM input WHERE runs.id = input.child_id`,
});

const openWaits = statement({
  name: "wait-for-runs",
  takes: { ...input.takes, id: t.text, attempt: t.integer },
  text: sql`
    WITH ${input.cte}, begun AS (
      INSERT INTO run_journals (run_id, last_place, bytes) VALUES ($id, 0, 0) ON CONFLICT (run_id) DO NOTHING
    )
    INSERT INTO run_waits (run_id, key, attempt, kind, names, sealed_entry, child_id)
    SELECT $id, key, $attempt, CASE WHEN detached THEN 'started' ELSE 'child' END, '{}', sealed_entry, child_id FROM input`,
});

const endDetached = statement({
  name: "end-waits-of-detached-runs",
  takes: { id: t.text },
  text: sql`
    WITH ending AS (
      SELECT run_id, key, kind, NULL::text AS input_id, number AS nth FROM run_waits WHERE run_id = $id AND kind = 'started'
    ), ${endWaits("worker")}
    SELECT FROM counted`,
});
