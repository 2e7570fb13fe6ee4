import { newId } from "../platform/ids.ts";
import type { Db } from "./client.ts";
import { orNull, type Row, t } from "./columns.ts";
import { type Sql, sql } from "./sql.ts";
import { statement } from "./statement.ts";

const act = {
  /** The owner of the thing, where it is known. */
  user_id: orNull(t.text),
  actor: t.text,
  /** The operation's name: `delete_agent`. */
  action: t.text,
  target_type: t.text,
  target_id: orNull(t.text),
  request_id: orNull(t.text),
  ip: orNull(t.text),
  /** What a reader must know of the act: a version, a tag, an action. */
  detail: t.json<Record<string, unknown>>(),
};

/** Who did what to which thing; never a body or a secret. */
export type Act = Row<typeof act>;

export async function appendAudit(db: Db, done: Act): Promise<void> {
  await append.count(db.sql, { id: newId("audit"), ...done });
}

const append = statement({
  name: "append-audit",
  takes: { id: t.text, ...act },
  text: sql`
    INSERT INTO audit_log (id, user_id, actor, action, target_type, target_id, request_id, ip, detail)
    VALUES ($id, $user_id, $actor, $action, $target_type, $target_id, $request_id, $ip, $detail)`,
});

/**
 * SQL: records what the service did by itself, in the statement that does it. `acts` is a query of id (`audit_…`), user_id,
 * action, target_type, target_id and detail.
 */
export const auditOwnActs = (acts: Sql): Sql => sql`
  INSERT INTO audit_log (id, user_id, actor, action, target_type, target_id, detail)
  SELECT id, user_id, 'service', action, target_type, target_id, detail FROM (${acts}) AS acts`;
