import type { Db } from "../client.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";

/** The provider's customer that a user is. */
export async function readCustomer(db: Db, user_id: string): Promise<string | null> {
  const account = await db.prisma.billingAccount.findUnique({ where: { user_id } });
  return account?.provider_customer_id ?? null;
}

/** Notes the customer that was made for a user, unless he got one meanwhile. Gives the one that he is. */
export function keepCustomer(db: Db, user_id: string, customer_id: string): Promise<string> {
  return inBillingTransaction(db, async (client) => {
    await ensureAccounts(client, [user_id]);
    const { rows } = await client.query<{ customer_id: string }>(
      `UPDATE billing_accounts SET provider_customer_id = coalesce(provider_customer_id, $2), updated_at = now()
       WHERE user_id = $1 RETURNING provider_customer_id AS customer_id`,
      [user_id, customer_id],
    );
    return rows[0]?.customer_id ?? customer_id;
  });
}
