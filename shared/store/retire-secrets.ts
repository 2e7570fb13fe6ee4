import { literal, raw, type Sql, sql } from "./sql.ts";

/** Each of them signs every message. */
const mostRetired = 2;

/**
 * SQL: before a new secret: of the rows of `table` for which `isOwned` holds, the newest two that are valid go on signing for
 * 24 hours, or for what is left of theirs. The others are deleted.
 */
export const retireSecrets = (table: string, isOwned: Sql): Sql => sql`
  WITH kept AS (
    SELECT id FROM ${raw(table)} WHERE ${isOwned} AND (expires_at IS NULL OR expires_at > now())
    ORDER BY expires_at DESC NULLS FIRST, id DESC LIMIT ${literal(mostRetired)}
  ), deleted AS (
    DELETE FROM ${raw(table)} WHERE ${isOwned} AND id NOT IN (SELECT id FROM kept)
  )
  UPDATE ${raw(table)} SET expires_at = now() + interval '24 hours'
  WHERE ${isOwned} AND expires_at IS NULL AND id IN (SELECT id FROM kept)`;
