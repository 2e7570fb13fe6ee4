import type { Queryable } from "./client.ts";

/** What a user may have a limited number of, and which of them count. */
const counted = {
  keys: "api_keys WHERE user_id = $1 AND run_id IS NULL AND revoked_at IS NULL AND coalesce(expires_at > now(), true)",
  run_tokens:
    "api_keys WHERE user_id = $1 AND run_id IS NOT NULL AND revoked_at IS NULL AND coalesce(expires_at > now(), true)",
  agents: "agents WHERE user_id = $1",
  daemons: "daemons WHERE user_id = $1 AND desired <> 'stopped'",
  jobs: "jobs WHERE user_id = $1 AND status NOT IN ('completed', 'cancelled')",
  threads: "threads WHERE user_id = $1",
  webhooks: "webhooks WHERE user_id = $1",
} as const;

/** The name of a user's turn to make one of a thing. */
export const turnOf = (thing: keyof typeof counted, userId: string): string => `${thing} of ${userId}`;

export type Room = { thing: keyof typeof counted; user_id: string; most: number };

/**
 * True where a user has fewer than `most` of a thing. Within a transaction: whoever else makes one for the same user waits
 * until that has ended, so that no race makes one too many. Begin the transaction in the user's turn (`db.inTurn`), or
 * those that wait hold all connections of the process.
 */
export async function hasRoom(client: Queryable, { thing, user_id, most }: Room): Promise<boolean> {
  // A statement of its own: the next one sees what was committed while this one waited.
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text", [turnOf(thing, user_id)]);
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${counted[thing]} LIMIT $2) AS found`,
    [user_id, most],
  );
  return (rows[0]?.count ?? 0) < most;
}

/** A Prisma transaction, as a statement's connection. */
export const queryableOf = (tx: PrismaTransaction): Pick<Queryable, "query"> =>
  ({
    query: async (text: string, values: unknown[]) => ({ rows: await tx.$queryRawUnsafe(text, ...values) }),
  }) as Queryable;

type PrismaTransaction = { $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown> };
