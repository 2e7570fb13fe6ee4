import type { Config } from "../../shared/platform/config/load-config.ts";
import { saveCustomer, readCustomer } from "../../shared/store/billing/customers.ts";
import type { Db } from "../../shared/store/client.ts";
import { askProvider } from "./ask-provider.ts";

/** Returns the id of a user's customer record at the payment provider. Creates the record if there is none. */
export async function findCustomer({ config, db }: { config: Config; db: Db }, user_id: string): Promise<string> {
  const known = await readCustomer(db, user_id);
  if (known !== null) return known;
  const made = await askProvider(config.billing, ({ customers }) =>
    // With this idempotency key, two concurrent requests get the same customer.
    customers.create({ metadata: { user_id } }, { idempotencyKey: `runfleet-customer-${user_id}` }),
  );
  return saveCustomer(db, user_id, made.id);
}
