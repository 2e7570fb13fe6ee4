import { saveCustomer, readCustomer } from "../../shared/store/billing/customers.ts";
import type { ApiContext } from "../context.ts";
import { askProvider } from "./ask-provider.ts";

/** Returns the id of a user's customer record at the payment provider. Creates the record if there is none. */
export async function findCustomer(ctx: Pick<ApiContext, "config" | "db" | "log">, user_id: string): Promise<string> {
  const known = await readCustomer(ctx.db, user_id);
  if (known !== null) return known;
  const made = await askProvider(ctx, ({ customers }) =>
    // With this idempotency key, two concurrent requests get the same customer.
    customers.create({ metadata: { user_id } }, { idempotencyKey: `runfleet-customer-${user_id}` }),
  );
  return saveCustomer(ctx.db, user_id, made.id);
}
