import type { BillingEventFilter, BillingEventRecord, BillingEventStatus } from "../../schemas/billing-event-record.ts";
import type { BillingEvent } from "../generated/client.ts";
import type { Db } from "../client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";

/** What each status means in SQL. */
const isStatus: Record<BillingEventStatus, string> = {
  unreadable: "error IS NOT NULL",
  waiting: "error IS NULL AND applied_at IS NULL AND object_id IS NOT NULL",
  applied: "error IS NULL AND applied_at IS NOT NULL",
  ignored: "error IS NULL AND applied_at IS NULL AND object_id IS NULL",
};

/** Lists the payment provider's verified events, newest first. */
export function listEvents(
  db: Db,
  { status, type, since, until }: BillingEventFilter,
  page: PageRequest,
): Promise<Page<BillingEventRecord>> {
  const listing = {
    table: `(SELECT event_id AS id, received_at AS created_at, type, object_id, applied_at, error FROM billing_events
      WHERE verified) AS events`,
    key: "id",
    within: [],
    filters: [
      ["created_at >= ?", since],
      ["created_at < ?", until],
    ],
    unindexed: [["type = ?", type], ...(status ? ([[`${isStatus[status]} AND ?`, true]] as const) : [])],
    // The payload isn't read.
    bytes: [],
    load: async (ids: string[]) =>
      (await db.prisma.billingEvent.findMany({ where: { event_id: { in: ids } }, omit: { payload: true } })).map(
        toRecord,
      ),
  } as const;
  return readPage<BillingEventRecord>(db, listing, page);
}

/** Returns a verified event with its payload; null when there is none. */
export async function readStoredEvent(
  db: Db,
  event_id: string,
): Promise<{ record: BillingEventRecord; payload: unknown } | null> {
  const row = await db.prisma.billingEvent.findUnique({ where: { event_id, verified: true } });
  return row && { record: toRecord(row), payload: row.payload };
}

function toRecord({
  event_id,
  type,
  created,
  object_id,
  customer_id,
  user_id,
  ...row
}: Omit<BillingEvent, "payload">): BillingEventRecord {
  const error = row.error;
  const applied_at = row.applied_at?.toISOString() ?? null;
  return {
    id: event_id,
    object: "billing_event",
    type,
    status: statusOf({ error, applied_at, object_id }),
    object_id,
    customer_id,
    user_id,
    error,
    created: created.toISOString(),
    received_at: row.received_at.toISOString(),
    applied_at,
  };
}

function statusOf({
  error,
  applied_at,
  object_id,
}: Pick<BillingEventRecord, "error" | "applied_at" | "object_id">): BillingEventStatus {
  if (error !== null) return "unreadable";
  if (applied_at !== null) return "applied";
  return object_id === null ? "ignored" : "waiting";
}
