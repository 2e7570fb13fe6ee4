import type { Db } from "../client.ts";

/** A client's key, on one operation of one user. */
export type RepeatKey = { user_id: string; route: string; key: string };

type Claimed =
  /** The first with this key; `answer` is what it came with. */
  | { kind: "first" }
  /** Another came before. `answer` is null while it is still at work. */
  | { kind: "repeat"; request_hash: Buffer; answer: Answer | null };

/** `text` is kept as it is: an answer that may show a secret is sealed before. */
type Answer = { status: number; text: string };

const keptFor = "24 hours";
/** A first one that has not answered for this long died: the next one takes its place. */
const givenUpAfter = "60 seconds";

/**
 * Takes a key for a request, with its answer where that is known beforehand. Of concurrent callers the row lets one be
 * the first. A key that is older than 24 hours is free again.
 */
export async function claimKey(
  db: Db,
  key: RepeatKey,
  request_hash: Buffer,
  answer: Answer | null = null,
): Promise<Claimed> {
  const values = [key.user_id, key.route, key.key, request_hash, answer?.status ?? null, jsonOf(answer)];
  const { rows } = await db.sql.query<{ first: boolean; request_hash: Buffer; status: number | null; text: string }>({
    ...claim,
    values,
  });
  const [row] = rows;
  // Its row went between the two halves of the statement.
  if (!row) return claimKey(db, key, request_hash, answer);
  if (row.first) return { kind: "first" };
  const known = row.status === null ? null : { status: row.status, text: row.text };
  return { kind: "repeat", request_hash: row.request_hash, answer: known };
}

const jsonOf = (answer: Answer | null) => (answer === null ? null : JSON.stringify(answer.text));

const claim = {
  name: "claim-idempotency-key",
  text: `
    WITH taken AS (
      INSERT INTO idempotency_keys AS k (user_id, route, key, request_hash, status_code, response, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, now() + interval '${keptFor}')
      ON CONFLICT (user_id, route, key) DO UPDATE SET request_hash = excluded.request_hash,
        status_code = excluded.status_code, response = excluded.response, created_at = now(), expires_at = excluded.expires_at
      WHERE k.expires_at < now()
        OR (k.status_code IS NULL AND k.request_hash = $4 AND k.created_at < now() - interval '${givenUpAfter}')
      RETURNING request_hash
    )
    SELECT true AS first, request_hash, NULL::int AS status, NULL AS text FROM taken
    UNION ALL
    SELECT false, request_hash, status_code, response #>> '{}' FROM idempotency_keys
    WHERE user_id = $1 AND route = $2 AND key = $3 AND NOT EXISTS (SELECT 1 FROM taken)`,
};

/** Keeps the first one's answer for those that repeat it. */
export async function keepAnswer(db: Db, { user_id, route, key }: RepeatKey, answer: Answer): Promise<void> {
  await db.sql.query(
    `UPDATE idempotency_keys SET status_code = $4, response = $5 WHERE user_id = $1 AND route = $2 AND key = $3`,
    [user_id, route, key, answer.status, jsonOf(answer)],
  );
}

/** Makes a key free: its request was refused, so that a repeat is a new try. */
export async function freeKey(db: Db, { user_id, route, key }: RepeatKey): Promise<void> {
  await db.sql.query(
    "DELETE FROM idempotency_keys WHERE user_id = $1 AND route = $2 AND key = $3 AND status_code IS NULL",
    [user_id, route, key],
  );
}
