import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Locks a thread of the owner's; within a transaction. Whoever changes it, or adds a run to it, waits until that ends. */
export const lockThread = statement({
  name: "lock-thread",
  takes: { id: t.text, owner: orNull(t.text) },
  gives: { id: t.text },
  text: sql`SELECT id FROM threads WHERE id = $id AND ($owner IS NULL OR user_id = $owner) FOR UPDATE`,
});
