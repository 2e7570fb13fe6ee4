import type { Db } from "../client.ts";

/** A key that may be used now. */
export type LiveKey = {
  id: string;
  user_id: string;
  secret_hash: Buffer;
  scopes: string[];
  /** Not null: it reads this run and nothing else. */
  run_id: string | null;
  /** Its last use was noted so long ago that it should be noted again. */
  stale_use: boolean;
};

/** Null: there is no such key, or it was revoked, has expired, or its user is gone. */
export async function readApiKey(db: Db, id: string): Promise<LiveKey | null> {
  const { rows } = await db.sql.query<LiveKey>({ ...read, values: [id] });
  return rows[0] ?? null;
}

const read = {
  name: "read-api-key",
  text: `
    SELECT k.id, k.user_id, k.secret_hash, k.scopes, k.run_id,
      coalesce(k.last_used_at < now() - interval '1 minute', true) AS stale_use
    FROM api_keys k JOIN users u ON u.id = k.user_id
    WHERE k.id = $1 AND k.revoked_at IS NULL AND u.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
};

/** Notes that a key is in use, at most once a minute however many processes see it used. */
export async function noteKeyUse(db: Db, id: string): Promise<void> {
  await db.sql.query({ ...note, values: [id] });
}

const note = {
  name: "note-key-use",
  text: `
    UPDATE api_keys SET last_used_at = now()
    WHERE id = $1 AND coalesce(last_used_at < now() - interval '1 minute', true)`,
};
