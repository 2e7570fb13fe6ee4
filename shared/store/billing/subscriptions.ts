import { newId } from "../../platform/ids.ts";
import type { SubscriptionRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Subscription } from "../generated/client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { type BillingFilter, billingConditions } from "./billing-filter.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";
import { choosePlan, newestInForce } from "./choose-plan.ts";

export function listSubscriptions(
  db: Db,
  owner: Owner,
  filter: BillingFilter,
  page: PageRequest,
): Promise<Page<SubscriptionRecord>> {
  const load = async (ids: string[]) =>
    (await db.prisma.subscription.findMany({ where: { id: { in: ids } }, omit })).map(toRecord);
  return readPage(
    db,
    { table: "subscriptions", key: "id", ...billingConditions(owner, filter), bytes: [], load },
    page,
  );
}

/** Returns null when the owner has no such subscription. */
export async function readSubscription(db: Db, id: string, owner: Owner): Promise<SubscriptionRecord | null> {
  const row = await db.prisma.subscription.findUnique({ where: { id, ...ownedBy(owner) }, omit });
  return row && toRecord(row);
}

/**
 * Gives a user a plan that nobody pays for. Returns the subscription's id. A subscription of that kind that gives the user this plan
 * already is it: a second one would give the plan on when the first is cancelled.
 */
export async function makeSubscription(
  db: Db,
  user_id: string,
  plan_id: string,
): Promise<{ id: string; isNew: boolean }> {
  // Looked for before the lock is taken, too: the lock is one for all.
  const known = await findStanding.first(db.sql, { user_id, plan_id });
  if (known) return { id: known.id, isNew: false };
  return inBillingTransaction(db, async (client) => {
    const standing = await findStanding.first(client, { user_id, plan_id });
    if (standing) return { id: standing.id, isNew: false };
    const id = newId("sub");
    await ensureAccounts(client, [user_id]);
    await insert.count(client, { id, user_id, plan_id });
    await choosePlan(client, user_id);
    return { id, isNew: true };
  });
}

/** Ends a subscription that was made here. */
export function endSubscription(db: Db, { id, user_id }: { id: string; user_id: string }): Promise<void> {
  return inBillingTransaction(db, async (client) => {
    await end.count(client, { id });
    await choosePlan(client, user_id);
  });
}

const findStanding = statement({
  name: "find-standing-subscription",
  takes: { user_id: t.text, plan_id: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM (${newestInForce}) AS newest WHERE plan_id = $plan_id AND provider_subscription_id IS NULL`,
});

const insert = statement({
  name: "insert-subscription",
  takes: { id: t.text, user_id: t.text, plan_id: t.text },
  text: sql`
    INSERT INTO subscriptions (id, user_id, plan_id, status, current_period_start)
    VALUES ($id, $user_id, $plan_id, 'active', now())`,
});

const end = statement({
  name: "end-subscription",
  takes: { id: t.text },
  text: sql`
    UPDATE subscriptions SET status = 'canceled', canceled_at = now(), updated_at = now()
    WHERE id = $id AND provider_subscription_id IS NULL AND status <> 'canceled'`,
});

const omit = { as_of: true } as const;

const toRecord = (row: Omit<Subscription, "as_of">): SubscriptionRecord => ({
  object: "subscription",
  ...row,
  current_period_start: row.current_period_start?.toISOString() ?? null,
  current_period_end: row.current_period_end?.toISOString() ?? null,
  trial_end: row.trial_end?.toISOString() ?? null,
  canceled_at: row.canceled_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
