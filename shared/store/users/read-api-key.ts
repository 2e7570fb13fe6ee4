import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const liveKey = {
  id: t.text,
  user_id: t.text,
  secret_hash: t.bytea,
  scopes: listOf(t.text),
  expires_at: orNull(t.timestamptz),
  /** Not null: it reads this run and nothing else. */
  run_id: orNull(t.text),
  /** Requests a minute: of the key, and of its user as the user's plan says. */
  key_per_minute: orNull(t.integer),
  user_per_minute: orNull(t.integer),
  /** Its last use was noted so long ago that it should be noted again. */
  stale_use: t.boolean,
};

/** A key that may be used now. */
export type LiveKey = Row<typeof liveKey>;

/** Returns null when there is no such key, or it was revoked, has expired, or its user is gone. */
export async function readApiKey(db: Db, id: string): Promise<LiveKey | null> {
  return read.first(db.sql, { id });
}

const read = statement({
  name: "read-api-key",
  takes: { id: t.text },
  gives: liveKey,
  text: sql`
    SELECT k.id, k.user_id, k.secret_hash, k.scopes, k.expires_at, k.run_id,
      k.requests_per_minute AS key_per_minute, p.requests_per_minute AS user_per_minute,
      coalesce(k.last_used_at < now() - interval '1 minute', true) AS stale_use
    FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN billing_accounts a ON a.user_id = k.user_id
      LEFT JOIN plans p ON p.id = coalesce(a.plan_id, 'default')
    WHERE k.id = $id AND k.revoked_at IS NULL AND u.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
});

/** Notes that a key is in use, at most once a minute however many processes see it used. */
export async function noteKeyUse(db: Db, id: string): Promise<void> {
  await note.count(db.sql, { id });
}

const note = statement({
  name: "note-key-use",
  takes: { id: t.text },
  text: sql`
    UPDATE api_keys SET last_used_at = now()
    WHERE id = $id AND coalesce(last_used_at < now() - interval '1 minute', true)`,
});
