import { deliveryHint } from "../../domain/retry/delivery-hint.ts";
import { newId } from "../../platform/ids.ts";
import type { DeliveryRecord } from "../../schemas/webhook.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Prisma } from "../generated/client.ts";
import { readClock } from "../read-clock.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type DeliveryFilter = {
  status?: string | undefined;
  type?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

const withTries = { log: { omit: { outbox_id: true }, orderBy: { try: "asc" } } } as const;

type Row = Omit<Prisma.OutboxMessageGetPayload<{ include: typeof withTries }>, "payload"> & { payload?: unknown };

const withBody = (row: Row): DeliveryRecord => ({ ...toRecord(row), payload: row.payload ?? null });

function toRecord(row: Row): DeliveryRecord {
  return {
    id: row.id,
    object: "delivery",
    webhook_id: row.webhook_id ?? "",
    type: row.type,
    run_id: row.run_id,
    status: row.status,
    attempts: row.tries,
    last_error: row.last_error,
    next_attempt_at: row.status === "pending" ? row.next_attempt_at.toISOString() : null,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    tries: row.log.map(({ at, ...rest }) => ({ ...rest, hint: deliveryHint(rest.error), at: at.toISOString() })),
  };
}

/** What a webhook was sent and is to be sent. The bodies are read only if `include` names them. */
export function listDeliveries(
  db: Db,
  webhook_id: string,
  { include, ...filter }: DeliveryFilter & { include: readonly "payload"[] },
  page: PageRequest,
): Promise<Page<DeliveryRecord>> {
  const hasBody = include.length > 0;
  const listing = {
    table: "outbox",
    key: "id",
    within: [["webhook_id = ?", webhook_id]],
    filters: [
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [
      ["status = ?::outbox_status", filter.status],
      ["type = ?", filter.type],
    ],
    bytes: include.map(bytesOf),
    load: async (ids: string[]) =>
      (
        await db.prisma.outboxMessage.findMany({
          where: { id: { in: ids } },
          include: withTries,
          omit: { payload: !hasBody },
        })
      ).map(hasBody ? withBody : toRecord),
  } as const;
  return readPage(db, listing, page);
}

/** Enqueues a test message to a webhook, whichever events it asks for. Returns null when the owner has no such webhook. */
export async function oweTest(db: Db, id: string, owner: Owner): Promise<DeliveryRecord | null> {
  const webhook = await db.prisma.webhook.findUnique({ where: { id, ...ownedBy(owner) } });
  if (!webhook) return null;
  const { user_id, url } = webhook;
  const type = "webhook.test";
  const now = await readClock(db);
  const payload = { type, timestamp: now.toISOString(), data: { webhook_id: id } };
  const data = { id: newId("msg"), user_id, webhook_id: id, type, url, payload, next_attempt_at: now };
  return toRecord(await db.prisma.outboxMessage.create({ data, include: withTries }));
}

/**
 * Makes a delivery due now, whatever came of it before; its tries go on counting, so one that was exhausted gets one more.
 * Returns null when the owner's webhook has no such delivery.
 */
export async function redeliverDelivery(
  db: Db,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
  owner: Owner,
): Promise<DeliveryRecord | null> {
  const { count } = await db.prisma.outboxMessage.updateMany({
    where: { id: delivery_id, webhook_id, webhook: ownedBy(owner) },
    data: { status: "pending", next_attempt_at: await readClock(db), delivered_at: null },
  });
  const row =
    count === 1 ? await db.prisma.outboxMessage.findUnique({ where: { id: delivery_id }, include: withTries }) : null;
  return row && toRecord(row);
}

export type Redelivery = {
  since: Date;
  until: Date | null;
  status: DeliveryRecord["status"];
  /** The last delivery of the request before. */
  after: string | null;
  limit: number;
};

/** Makes the deliveries of a time due now, oldest first. A delivery that is under way keeps its lease. */
export async function redeliverAll(
  db: Db,
  webhook_id: string,
  redelivery: Redelivery,
): Promise<{ redelivered: number; has_more: boolean; last_id: string | null }> {
  const ids = (await makeDue.rows(db.sql, { webhook_id, ...redelivery })).map(({ id }) => id);
  const redelivered = ids.length;
  return { redelivered, has_more: redelivered === redelivery.limit, last_id: ids.at(-1) ?? null };
}

const makeDue = statement({
  name: "redeliver-webhook",
  takes: {
    webhook_id: t.text,
    since: t.timestamptz,
    until: orNull(t.timestamptz),
    status: t.enumeration<DeliveryRecord["status"]>("outbox_status"),
    after: orNull(t.text),
    limit: t.integer,
  },
  gives: { id: t.text },
  text: sql`
    WITH asked AS (
      SELECT id, created_at FROM outbox
      WHERE webhook_id = $webhook_id AND status = $status AND created_at >= $since
        AND ($until IS NULL OR created_at < $until) AND ($after IS NULL OR (created_at, id) > (
          SELECT created_at, id FROM outbox WHERE id = $after AND webhook_id = $webhook_id))
      ORDER BY created_at, id LIMIT $limit FOR UPDATE
    ), due AS (
      UPDATE outbox SET status = 'pending', next_attempt_at = now(), delivered_at = NULL
      FROM asked WHERE outbox.id = asked.id
    )
    SELECT id FROM asked ORDER BY created_at, id`,
});
