import type { HookDelivery as HookDeliveryRecord } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import type { Prisma } from "../generated/client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";

const shown = { omit: { sealed_request: true } } as const;
type Row = Prisma.HookDeliveryGetPayload<typeof shown>;

function toRecord({ error_code: code, error_message: message, created_at, ...row }: Row): HookDeliveryRecord {
  const error = code === null ? null : { code, message: message ?? "" };
  return { ...row, object: "hook_delivery", error, created_at: created_at.toISOString() };
}

export type DeliveryFilter = {
  status?: string | undefined;
  event?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** What a hook was sent, without the requests. */
export function listHookDeliveries(
  db: Db,
  hook_id: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<HookDeliveryRecord>> {
  const listing = {
    table: "hook_deliveries",
    key: "id",
    within: [["hook_id = ?", hook_id]],
    filters: [
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [
      ["status = ?::hook_delivery_status", filter.status],
      ["event = ?", filter.event],
    ],
    bytes: [],
    load: (ids: string[]) => readDeliveries(db, ids),
  } as const;
  return readPage(db, listing, page);
}

export async function readDeliveries(db: Db, ids: string[]): Promise<HookDeliveryRecord[]> {
  return (await db.prisma.hookDelivery.findMany({ where: { id: { in: ids } }, ...shown })).map(toRecord);
}
