import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";

/** The provider's customer that a user is. */
export async function readCustomer(db: Db, user_id: string): Promise<string | null> {
  const account = await db.prisma.billingAccount.findUnique({ where: { user_id } });
  return account?.provider_customer_id ?? null;
}

/** Notes the customer that was made for a user, unless the user got one meanwhile. Returns the one that the user is. */
export function saveCustomer(db: Db, user_id: string, customer_id: string): Promise<string> {
  return inBillingTransaction(db, async (client) => {
    await ensureAccounts(client, [user_id]);
    const row = await save.first(client, { user_id, customer_id });
    return row?.customer_id ?? customer_id;
  });
}

const save = statement({
  name: "save-customer",
  takes: { user_id: t.text, customer_id: t.text },
  gives: { customer_id: t.text },
  text: sql`
    UPDATE billing_accounts SET provider_customer_id = coalesce(provider_customer_id, $customer_id), updated_at = now()
    WHERE user_id = $user_id RETURNING provider_customer_id AS customer_id`,
});
