import type { PrincipalKind } from "../../schemas/session.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isRecent } from "./live-session.ts";

const liveSession = {
  id: t.text,
  user_id: t.text,
  secret_hash: t.bytea,
  principal_kind: t.word<PrincipalKind>(),
  principal_id: t.text,
  scopes: listOf(t.text),
  expires_at: t.timestamptz,
  /** When the key that signed in expires. Null: never, or it was the bootstrap key. */
  key_expires_at: orNull(t.timestamptz),
  /** Requests a minute: of the key that signed in, and of its user as the user's plan says. */
  key_per_minute: orNull(t.integer),
  user_per_minute: orNull(t.integer),
  /** Its last use was noted so long ago that it should be noted again. */
  stale_use: t.boolean,
};

/** A session that counts now, unless the bootstrap key that began it has changed. */
export type LiveSession = Row<typeof liveSession>;

/** Returns null when there is no such session, it has expired, its key is no longer valid, or its user is gone. */
export const readSession = (db: Db, id: string): Promise<LiveSession | null> => read.first(db.sql, { id });

const read = statement({
  name: "read-session",
  takes: { id: t.text },
  gives: liveSession,
  text: sql`
    SELECT s.id, s.user_id, s.secret_hash, s.principal_kind, s.principal_id, s.scopes, s.expires_at,
      k.expires_at AS key_expires_at, k.requests_per_minute AS key_per_minute, p.requests_per_minute AS user_per_minute,
      s.last_used_at < now() - interval '1 minute' AS stale_use
    FROM (SELECT * FROM sessions WHERE id = $id AND ${isRecent}) s
      JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
      LEFT JOIN api_keys k ON s.principal_kind = 'key' AND k.id = s.principal_id
      LEFT JOIN billing_accounts a ON a.user_id = s.user_id LEFT JOIN plans p ON p.id = coalesce(a.plan_id, 'default')
    WHERE s.principal_kind <> 'key'
      OR (k.id IS NOT NULL AND k.revoked_at IS NULL AND coalesce(k.expires_at > now(), true))`,
});

/** Notes that a session is in use, at most once a minute however many processes see it used. */
export async function noteSessionUse(db: Db, id: string): Promise<void> {
  await note.count(db.sql, { id });
}

const note = statement({
  name: "note-session-use",
  takes: { id: t.text },
  text: sql`UPDATE sessions SET last_used_at = now() WHERE id = $id AND last_used_at < now() - interval '1 minute'`,
});
