import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** Locks a run's thread, which is made if there is none. Changes no row when it is somebody else's. */
export const ensureThread = statement({
  name: "lock-thread-of-run",
  takes: { thread_id: t.text, user_id: t.text, agent_id: t.text, owner: orNull(t.text) },
  text: sql`
    INSERT INTO threads (id, user_id, agent_id) VALUES ($thread_id, $user_id, $agent_id)
    ON CONFLICT (id) DO UPDATE SET updated_at = now(), agent_id = coalesce(threads.agent_id, excluded.agent_id)
    WHERE $owner IS NULL OR threads.user_id = $owner`,
});
