import type { ApiKeyRecord } from "../../schemas/user.ts";
import type { Db } from "../client.ts";
import type { ApiKey } from "../generated/client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { endSessionsOf } from "../sessions/end-session.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

function toRecord({
  id,
  user_id,
  name,
  scopes,
  run_id,
  requests_per_minute,
  ...times
}: Omit<ApiKey, "secret_hash">): ApiKeyRecord {
  return {
    id,
    object: "api_key",
    user_id,
    name,
    scopes,
    run_id,
    requests_per_minute,
    created_at: times.created_at.toISOString(),
    expires_at: iso(times.expires_at),
    last_used_at: iso(times.last_used_at),
    revoked_at: iso(times.revoked_at),
  };
}

const withoutHash = { secret_hash: true } as const;

/** A user's keys, revoked ones too; with `run_id` only those that read this run. */
export function listApiKeys(
  db: Db,
  { user_id, run_id }: { user_id: string; run_id: string | undefined },
  page: PageRequest,
): Promise<Page<ApiKeyRecord>> {
  const listing = {
    table: "api_keys",
    key: "id",
    within: [["user_id = ?", user_id]],
    unindexed: [["run_id = ?", run_id]],
    bytes: [],
    load: async (ids: string[]) =>
      (await db.prisma.apiKey.findMany({ where: { id: { in: ids } }, omit: withoutHash })).map(toRecord),
  } as const;
  return readPage(db, listing, page);
}

export type NewKey = {
  id: string;
  user_id: string;
  name: string | null;
  secret_hash: Buffer;
  scopes: string[];
  run_id: string | null;
  requests_per_minute: number | null;
  expires_at: Date | null;
};

/** How many live ones of a run one user may have; they end after an hour. */
const mostRunTokens = 10_000;

/** Returns null when the user has `most` live keys already. Those that read a single run are counted apart. */
export async function insertApiKey(db: Db, key: NewKey, most: number): Promise<ApiKeyRecord | null> {
  const { user_id } = key;
  const room =
    key.run_id === null
      ? ({ thing: "keys", user_id, most } as const)
      : ({ thing: "run_tokens", user_id, most: mostRunTokens } as const);
  return db.withMutex(userLockName(room.thing, user_id), () =>
    db.prisma.$transaction(async (tx) => {
      if (!(await isBelowUserLimit(queryableOf(tx), room))) return null;
      const data = { ...key, secret_hash: new Uint8Array(key.secret_hash) };
      return toRecord(await tx.apiKey.create({ data, omit: withoutHash }));
    }),
  );
}

/**
 * From now on the key is refused, and its sessions have ended. A repeat keeps the first time. Returns false when the owner has no
 * such key.
 */
export async function revokeApiKey(db: Db, id: string, owner: Owner): Promise<boolean> {
  const mine = await db.prisma.apiKey.findUnique({ where: { id, ...ownedBy(owner) }, select: { id: true } });
  await db.prisma.apiKey.updateMany({
    where: { id, ...ownedBy(owner), revoked_at: null },
    data: { revoked_at: new Date() },
  });
  if (mine) await endSessionsOf(db, { kind: "key", id });
  return mine !== null;
}
