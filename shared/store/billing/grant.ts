import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { bookTransfers, type Transfer } from "./book-transfers.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";

/** Books what we give a user, or take back. Returns the booking's id. */
export function grant(db: Db, gift: Pick<Transfer, "user_id" | "amount_micro_usd" | "description">): Promise<string> {
  return inBillingTransaction(db, async (client) => {
    await ensureAccounts(client, [gift.user_id]);
    const cause = { source: "manual", source_id: newId("txn"), type: "grant", against: "grant" } as const;
    const [id] = await bookTransfers(client, [{ ...gift, ...cause }]);
    if (id === undefined) throw new Error("A new id was booked before.");
    return id;
  });
}
