import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A client's key, on one operation of one user. */
export type RepeatKey = { user_id: string; route: string; key: string };

type KeyClaim =
  /** The first with this key; `answer` is what it came with. */
  | { kind: "first" }
  /** Another request came before. `answer` is null while that one is still at work. */
  | { kind: "repeat"; request_hash: Buffer; answer: Answer | null };

/** `text` is stored as it is: the caller seals an answer that may show a secret. */
type Answer = { status: number; text: string };

const keptFor = sql`interval '24 hours'`;
/** A first request that has not answered for this long has died: the next one takes its place. */
const givenUpAfter = sql`interval '60 seconds'`;

/**
 * Takes a key for a request, with its answer where that is known beforehand. Of concurrent callers the row lets one be
 * the first. A key that is older than 24 hours is free again.
 */
export async function claimKey(
  db: Db,
  key: RepeatKey,
  request_hash: Buffer,
  answer: Answer | null = null,
): Promise<KeyClaim> {
  const { status: status_code = null, text = null } = answer ?? {};
  const row = await claim.first(db.sql, { ...key, request_hash, status_code, text });
  // Its row went between the two halves of the statement.
  if (!row) return claimKey(db, key, request_hash, answer);
  if (row.first) return { kind: "first" };
  const known = row.status === null ? null : { status: row.status, text: row.text ?? "" };
  return { kind: "repeat", request_hash: row.request_hash, answer: known };
}

const keyColumns = { user_id: t.text, route: t.text, key: t.text };
const keyOf = sql`idempotency_keys.user_id = $user_id AND route = $route AND key = $key`;
const isKey = sql`user_id = $user_id AND route = $route AND key = $key`;

const claim = statement({
  name: "claim-idempotency-key",
  takes: { ...keyColumns, request_hash: t.bytea, status_code: orNull(t.integer), text: orNull(t.json<string>()) },
  gives: { first: t.boolean, request_hash: t.bytea, status: orNull(t.integer), text: orNull(t.text) },
  text: sql`
    WITH taken AS (
      INSERT INTO idempotency_keys AS k (user_id, route, key, request_hash, status_code, response, expires_at)
      VALUES ($user_id, $route, $key, $request_hash, $status_code, $text, now() + ${keptFor})
      ON CONFLICT (user_id, route, key) DO UPDATE SET request_hash = excluded.request_hash,
        status_code = excluded.status_code, response = excluded.response, created_at = now(), expires_at = excluded.expires_at
      WHERE k.expires_at < now()
        OR (k.status_code IS NULL AND k.request_hash = $request_hash AND k.created_at < now() - ${givenUpAfter})
      RETURNING request_hash
    )
    SELECT true AS first, request_hash, NULL::int AS status, NULL AS text FROM taken
    UNION ALL
    SELECT false, request_hash, status_code, response #>> '{}' FROM idempotency_keys
    WHERE ${isKey} AND NOT EXISTS (SELECT 1 FROM taken)`,
});

/** Saves the first request's answer for those that repeat it. */
export async function saveAnswer(db: Db, key: RepeatKey, { status, text }: Answer): Promise<void> {
  await save.count(db.sql, { ...key, status_code: status, text });
}

const save = statement({
  name: "save-answer",
  takes: { ...keyColumns, status_code: t.integer, text: t.json<string>() },
  text: sql`UPDATE idempotency_keys SET status_code = $status_code, response = $text WHERE ${isKey}`,
});

/** Makes a key free: its request was refused, so that a repeat is a new try. */
export async function freeKey(db: Db, key: RepeatKey): Promise<void> {
  await free.count(db.sql, key);
}

const free = statement({
  name: "free-idempotency-key",
  takes: keyColumns,
  text: sql`DELETE FROM idempotency_keys WHERE ${isKey} AND status_code IS NULL`,
});

/** Returns whether a request with this run id or key has made a run. A request that was refused later has a key, too. */
export async function isRepeat(db: Db, run_id: string | null, key: RepeatKey | null): Promise<boolean> {
  const { user_id = null, route = null, key: name = null } = key ?? {};
  return (await repeat.first(db.sql, { run_id, user_id, route, key: name }))?.repeat ?? false;
}

const repeat = statement({
  name: "is-repeat",
  takes: { run_id: orNull(t.text), user_id: orNull(t.text), route: orNull(t.text), key: orNull(t.text) },
  gives: { repeat: t.boolean },
  text: sql`
    SELECT EXISTS (SELECT 1 FROM runs WHERE id = $run_id)
      OR EXISTS (SELECT 1 FROM idempotency_keys JOIN runs ON runs.id = response #>> '{}'
        WHERE ${keyOf} AND idempotency_keys.expires_at > now()) AS repeat`,
});

/** Returns the run that a request with this key has made. Null: there is none, or it is deleted. */
export async function findRunOfKey(db: Db, key: RepeatKey): Promise<{ run_id: string; request_hash: Buffer } | null> {
  return ofKey.first(db.sql, key);
}

const ofKey = statement({
  name: "find-run-of-key",
  takes: keyColumns,
  gives: { run_id: t.text, request_hash: t.bytea },
  text: sql`
    SELECT runs.id AS run_id, idempotency_keys.request_hash
    FROM idempotency_keys JOIN runs ON runs.id = response #>> '{}'
    WHERE ${keyOf} AND idempotency_keys.expires_at > now()`,
});
