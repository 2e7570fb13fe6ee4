import type { Queryable } from "./client.ts";
import { t } from "./columns.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

const isLive = sql`revoked_at IS NULL AND coalesce(expires_at > now(), true)`;

/** What a user may have a limited number of, and which of them count. */
const counted = {
  keys: sql`api_keys WHERE user_id = $user_id AND run_id IS NULL AND ${isLive}`,
  run_tokens: sql`api_keys WHERE user_id = $user_id AND run_id IS NOT NULL AND ${isLive}`,
  session_codes: sql`session_codes WHERE user_id = $user_id AND expires_at > now()`,
  agents: sql`agents WHERE user_id = $user_id`,
  daemons: sql`daemons WHERE user_id = $user_id AND desired <> 'stopped'`,
  jobs: sql`jobs WHERE user_id = $user_id AND status NOT IN ('completed', 'cancelled')`,
  threads: sql`threads WHERE user_id = $user_id`,
  webhooks: sql`webhooks WHERE user_id = $user_id`,
  hooks: sql`hooks WHERE user_id = $user_id`,
  connections: sql`connections WHERE user_id = $user_id`,
  secrets: sql`secrets WHERE user_id = $user_id`,
  store_items: sql`store_items WHERE user_id = $user_id AND coalesce(expires_at > now(), true)`,
} as const;

type LimitedThing = keyof typeof counted;

const count = (thing: LimitedThing) =>
  statement({
    name: `count-room-${thing.replace("_", "-")}`,
    takes: { user_id: t.text, most: t.integer },
    gives: { count: t.integer },
    text: sql`SELECT count(*)::int AS count FROM (SELECT 1 FROM ${counted[thing]} LIMIT $most) AS found`,
  });

const counts = {
  keys: count("keys"),
  run_tokens: count("run_tokens"),
  session_codes: count("session_codes"),
  agents: count("agents"),
  daemons: count("daemons"),
  jobs: count("jobs"),
  threads: count("threads"),
  webhooks: count("webhooks"),
  hooks: count("hooks"),
  connections: count("connections"),
  secrets: count("secrets"),
  store_items: count("store_items"),
};

/** Within a transaction, which holds the lock until it ends. Its result is text, since Prisma knows no void. */
export const advisoryLock = statement({
  name: "lock-user-limit",
  takes: { lock: t.text },
  gives: { locked: t.text },
  text: sql`SELECT pg_advisory_xact_lock(hashtextextended($lock, 0))::text AS locked`,
});

/** The name of the lock that a user's calls take to make one of a thing. */
export const userLockName = (thing: LimitedThing | "runs", userId: string): string => `${thing} of ${userId}`;

export type UserLimit = { thing: LimitedThing; user_id: string; most: number };

/**
 * Returns true when a user has fewer than `most` of a thing. Within a transaction: another call that makes one for the same
 * user waits until the transaction has ended, so that no race makes one too many. Begin the transaction under its mutex
 * (`db.withMutex`), or the calls that wait hold all connections of the process.
 */
export async function isBelowUserLimit(client: Queryable, { thing, user_id, most }: UserLimit): Promise<boolean> {
  // A statement of its own: the next one sees what was committed while this one waited.
  await advisoryLock.count(client, { lock: userLockName(thing, user_id) });
  const row = await counts[thing].first(client, { user_id, most });
  return (row?.count ?? 0) < most;
}
