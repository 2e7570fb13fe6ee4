import { newId } from "../../platform/ids.ts";
import { type BulkRecord, storedFilter } from "../../schemas/bulk.ts";
import { type ReplayEdits, replayEdits } from "../../schemas/replay.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { BulkOperation, Prisma } from "../generated/client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import type { RunFilter } from "../runs/read/list-runs.ts";
import type { BulkAction } from "./bulk-scope.ts";
import { countBulk } from "./preview-bulk.ts";

export type NewBulk = {
  user_id: string;
  action: BulkAction;
  /** Whose runs it may touch. */
  owner: Owner;
  /** Who asked for it. Null for an operation that an earlier release stored. */
  actor: string | null;
  filter: RunFilter;
  edits: ReplayEdits;
};

/** A user's operations that aren't done. */
const mostUnfinished = 20;

/** Records the operation; some API process carries it out. Null: its user has as many unfinished ones as one may have. */
export async function insertBulk(db: Db, bulk: NewBulk): Promise<BulkRecord | null> {
  const { user_id, action, owner, actor, filter, edits } = bulk;
  const [unfinished, total] = [
    await db.prisma.bulkOperation.count({ where: { user_id, status: { not: "done" } }, take: mostUnfinished }),
    await countBulk(db, bulk),
  ];
  if (unfinished >= mostUnfinished) return null;
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Prisma.InputJsonObject;
  const data = {
    id: newId("bulk"),
    user_id,
    action,
    filter: plain(filter),
    options: plain({ owner, actor, ...edits }),
    total,
  };
  return toRecord(await db.prisma.bulkOperation.create({ data }));
}

/** Returns null when the owner has no such operation. */
export async function readBulk(db: Db, id: string, owner: Owner): Promise<BulkRecord | null> {
  const row = await db.prisma.bulkOperation.findUnique({ where: { id, ...ownedBy(owner) } });
  return row && toRecord(row);
}

export function listBulks(
  db: Db,
  owner: Owner,
  { status, user_id }: { status?: BulkRecord["status"] | undefined; user_id?: string | undefined },
  page: PageRequest,
): Promise<Page<BulkRecord>> {
  const listing = {
    table: "bulk_operations",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [["user_id = ?", user_id]],
    unindexed: [["status = ?::bulk_status", status]],
    bytes: [bytesOf("filter")],
    load: async (ids: string[]) =>
      (await db.prisma.bulkOperation.findMany({ where: { id: { in: ids } } })).map(toRecord),
  } as const;
  return readPage<BulkRecord>(db, listing, page);
}

function toRecord({ id, user_id, action, filter, status, total, done, failed, ...times }: BulkOperation): BulkRecord {
  return {
    id,
    object: "bulk_operation",
    user_id,
    action,
    filter: filter as Record<string, unknown>,
    status,
    total,
    done,
    failed,
    created_at: times.created_at.toISOString(),
    finished_at: times.finished_at?.toISOString() ?? null,
  };
}

/** A bulk operation in the hands of one process, until its lease ends. */
export type HeldBulk = NewBulk & { id: string; created_at: Date; cursor: string | null; lease_until: string };

/**
 * Takes one that nobody works at: first those that nobody has worked at yet, then the one that was left first, so that a large one delays no
 * other. One whose process died goes on where that one was. Null: none.
 */
export async function claimBulk(db: Db): Promise<HeldBulk | null> {
  const row = await claim.first(db.sql);
  if (!row) return null;
  const { id, user_id, action, created_at, cursor, lease_text: lease_until } = row;
  const { owner, actor = null } = row.options as { owner: Owner; actor?: string };
  const edits = replayEdits.parse(row.options);
  const filter = storedFilter.parse(row.filter);
  return { id, user_id, action, created_at, cursor, lease_until, owner, actor, filter, edits };
}

const claim = statement({
  name: "claim-bulk",
  gives: {
    id: t.text,
    user_id: t.text,
    action: t.enumeration<BulkAction>("bulk_action"),
    filter: t.json(),
    options: t.json(),
    cursor: orNull(t.text),
    created_at: t.timestamptz,
    lease_text: t.text,
  },
  text: sql`
    UPDATE bulk_operations SET status = 'running', lease_until = now() + interval '30 seconds'
    WHERE id = (SELECT id FROM bulk_operations WHERE status IN ('pending', 'running')
      AND (lease_until IS NULL OR lease_until <= now()) ORDER BY lease_until NULLS FIRST, created_at
      LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, user_id, action, filter, options, cursor, created_at, lease_until::text AS lease_text`,
});
