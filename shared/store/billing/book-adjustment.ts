import { createHash } from "node:crypto";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { bookTransfers, type Transfer } from "./book-transfers.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";

type Adjustment = Pick<Transfer, "user_id" | "amount_micro_usd" | "description">;

/**
 * Books what we give a user, or take back. Returns the booking's id. `repeat_key`: what the request is repeated by, where its answer was lost. The
 * same gift under the same key is booked once, whatever became of the first request.
 */
export function bookAdjustment(db: Db, gift: Adjustment, repeat_key: string | null): Promise<string> {
  return inBillingTransaction(db, async (client) => {
    await ensureAccounts(client, [gift.user_id]);
    const source_id = repeat_key === null ? newId("txn") : causeOf(gift, repeat_key);
    const cause = { source: "manual", source_id, type: "grant", against: "grant" } as const;
    const [id] = await bookTransfers(client, [{ ...gift, ...cause }]);
    const found = id ?? (await findBooked.first(client, { source_id }))?.id;
    if (found === undefined) throw new Error("A booking has no row.");
    return found;
  });
}

const causeOf = (gift: Adjustment, repeat_key: string): string =>
  `key_${createHash("sha256")
    .update(JSON.stringify([gift, repeat_key]))
    .digest("hex")
    .slice(0, 32)}`;

const findBooked = statement({
  name: "find-grant",
  takes: { source_id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM ledger_transactions WHERE source = 'manual' AND source_id = $source_id`,
});
