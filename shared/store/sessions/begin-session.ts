import type { Principal, PrincipalKind } from "../../schemas/session.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { sessionAge } from "./live-session.ts";

/** Who signs in, and what the session or code may do. */
export type SignIn = { user_id: string; principal: Principal; scopes: readonly string[] };

type Secret = { id: string; secret_hash: Buffer };
type Browser = { ip: string | null; user_agent: string | null };

/** Sessions of one user. One more ends the session that was not used for longest. */
const mostSessions = 100;

export async function beginSession(db: Db, secret: Secret, signIn: SignIn, browser: Browser): Promise<void> {
  await begin.count(db.sql, { ...secret, ...columnsOf(signIn), ...browser });
}

const columnsOf = ({ user_id, principal, scopes }: SignIn) => ({
  user_id,
  principal_kind: principal.kind,
  principal_id: principal.id,
  scopes,
});

const signInColumns = {
  id: t.text,
  user_id: t.text,
  secret_hash: t.bytea,
  principal_kind: t.word<PrincipalKind>(),
  principal_id: t.text,
  scopes: listOf(t.text),
};

const begin = statement({
  name: "begin-session",
  takes: { ...signInColumns, ip: orNull(t.text), user_agent: orNull(t.text) },
  text: sql`
    WITH surplus AS (
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE user_id = $user_id ORDER BY last_used_at DESC OFFSET ${literal(mostSessions - 1)}
      )
    )
    INSERT INTO sessions (id, user_id, secret_hash, principal_kind, principal_id, scopes, ip, user_agent, expires_at)
    VALUES ($id, $user_id, $secret_hash, $principal_kind, $principal_id, $scopes, $ip, $user_agent,
      least(now() + ${sessionAge}, (SELECT expires_at FROM api_keys WHERE id = $principal_id AND $principal_kind = 'key')))`,
});

/** Codes of one user that nobody has used yet. */
const mostCodes = 100;

/** Returns when the code expires; null when the user has too many codes that nobody has used. */
export async function insertCode(db: Db, secret: Secret, signIn: SignIn): Promise<Date | null> {
  const room = { thing: "session_codes", user_id: signIn.user_id, most: mostCodes } as const;
  return db.withMutex(userLockName(room.thing, room.user_id), () =>
    db.prisma.$transaction(async (tx) => {
      const client = queryableOf(tx);
      if (!(await isBelowUserLimit(client, room))) return null;
      return (await insert.first(client, { ...secret, ...columnsOf(signIn) }))?.expires_at ?? null;
    }),
  );
}

const insert = statement({
  name: "insert-session-code",
  takes: signInColumns,
  gives: { expires_at: t.timestamptz },
  text: sql`
    INSERT INTO session_codes (id, user_id, secret_hash, principal_kind, principal_id, scopes, expires_at)
    VALUES ($id, $user_id, $secret_hash, $principal_kind, $principal_id, $scopes, now() + interval '1 minute')
    RETURNING expires_at`,
});

/** Uses a code up. Returns null when there is no such code, it was used, or it has expired. */
export async function takeCode(db: Db, secret: Secret): Promise<SignIn | null> {
  const taken = await take.first(db.sql, secret);
  if (!taken) return null;
  const { user_id, principal_kind: kind, principal_id: id, scopes } = taken;
  return { user_id, principal: { kind, id }, scopes };
}

const { user_id, principal_kind, principal_id, scopes } = signInColumns;

const take = statement({
  name: "take-session-code",
  takes: { id: t.text, secret_hash: t.bytea },
  gives: { user_id, principal_kind, principal_id, scopes },
  text: sql`
    DELETE FROM session_codes WHERE id = $id AND secret_hash = $secret_hash AND expires_at > now()
    RETURNING user_id, principal_kind, principal_id, scopes`,
});
