import type { Db } from "../../client.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import type { Owner } from "../../owned-by.ts";
import type { RepeatKey } from "../../users/idempotency-keys.ts";

const accepted = { id: t.text, thread_id: orNull(t.text), request_hash: t.bytea };

/**
 * Returns the run that an earlier request with this key, or else with this run id, has made. `request_hash`: that of the earlier request.
 * Null: there is none.
 */
export async function findAcceptedRun(
  db: Db,
  run_id: string | null,
  key: RepeatKey | null,
  owner: Owner,
): Promise<Row<typeof accepted> | null> {
  const { user_id = null, route = null, key: name = null } = key ?? {};
  return find.first(db.sql, { run_id, user_id, route, key: name, owner });
}

const find = statement({
  name: "find-accepted-run",
  takes: {
    run_id: orNull(t.text),
    user_id: orNull(t.text),
    route: orNull(t.text),
    key: orNull(t.text),
    owner: orNull(t.text),
  },
  gives: accepted,
  text: sql`
    WITH claimed AS (
      SELECT response #>> '{}' AS run_id, request_hash FROM idempotency_keys
      WHERE user_id = $user_id AND route = $route AND key = $key AND expires_at > now()
    )
    SELECT id, thread_id, coalesce((SELECT request_hash FROM claimed), request_hash) AS request_hash
    FROM runs WHERE id = coalesce((SELECT run_id FROM claimed), $run_id) AND ($owner IS NULL OR user_id = $owner)`,
});
