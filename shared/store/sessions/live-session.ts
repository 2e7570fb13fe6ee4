import { literal, raw, sql } from "../sql.ts";

/** A session that nobody uses for so long has ended. */
export const idleHours = 12;
export const sessionIdle = sql`${literal(idleHours)} * interval '1 hour'`;
/** A session ends after so long, however often it is used. */
export const sessionAge = raw("interval '7 days'");

/** SQL: a row of `sessions` was used lately, and is not too old. Whether its key is still valid is asked beside. */
export const isRecent = sql`expires_at > now() AND last_used_at > now() - ${sessionIdle}`;
