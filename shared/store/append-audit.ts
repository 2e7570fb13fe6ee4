import { newId } from "../platform/ids.ts";
import type { Db } from "./client.ts";

/** Who did what to which thing; never a body or a secret. */
export type Act = {
  /** The owner of the thing, where it is known. */
  user_id: string | null;
  actor: string;
  /** The operation's name: `delete_agent`. */
  action: string;
  target_type: string;
  target_id: string | null;
  request_id: string;
  ip: string | null;
};

export async function appendAudit(db: Db, act: Act): Promise<void> {
  const { user_id, actor, action, target_type, target_id, request_id, ip } = act;
  const values = [newId("audit"), user_id, actor, action, target_type, target_id, request_id, ip];
  await db.sql.query({ ...statement, values });
}

const statement = {
  name: "append-audit",
  text: `
    INSERT INTO audit_log (id, user_id, actor, action, target_type, target_id, request_id, ip)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};
