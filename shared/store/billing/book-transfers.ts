import { newId } from "../../platform/ids.ts";
import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Money into a user's wallet (out of it, where it is negative), from or to one of our accounts. */
export type Transfer = {
  user_id: string;
  /** The other account: the payment provider's side, what was used up, what we give. */
  against: "provider" | "revenue" | "grant";
  amount_micro_usd: number;
  /** Its cause: a transfer of the same two is booked once. */
  source: "payment" | "usage" | "manual";
  source_id: string;
  type: string;
  description: string | null;
};

/** Books transfers: two entries each, which sum to 0, and the balances. Returns the ids of those that weren't booked before. */
export async function bookTransfers(client: Queryable, transfers: readonly Transfer[]): Promise<string[]> {
  if (transfers.length === 0) return [];
  const told = transfers.map((transfer) => ({ ...transfer, id: newId("txn") }));
  const rows = await book.rows(client, { transfers: told });
  return rows.map(({ id }) => id);
}

const book = statement({
  name: "book-transfers",
  takes: { transfers: t.json<readonly (Transfer & { id: string })[]>() },
  gives: { id: t.text },
  text: sql`
    WITH told AS (
      SELECT * FROM json_to_recordset($transfers) AS t (id text, user_id text, against text, amount_micro_usd bigint,
        source text, source_id text, type text, description text)
    ), booked AS (
      INSERT INTO ledger_transactions (id, user_id, source, source_id, type, description)
      SELECT id, user_id, source, source_id, type, description FROM told
      ON CONFLICT (source, source_id) DO NOTHING RETURNING id
    ), sides AS (
      SELECT id, 'wallet:' || user_id AS account_id, 'wallet' AS kind, user_id, amount_micro_usd AS amount
      FROM told JOIN booked USING (id)
      UNION ALL
      SELECT id, against, against, NULL, -amount_micro_usd FROM told JOIN booked USING (id)
    ), balances AS (
      INSERT INTO ledger_accounts AS a (id, kind, user_id, balance_micro_usd)
      SELECT account_id, kind::ledger_account_kind, user_id, sum(amount) FROM sides GROUP BY account_id, kind, user_id
      ON CONFLICT (id) DO UPDATE SET balance_micro_usd = a.balance_micro_usd + excluded.balance_micro_usd
    ), entries AS (
      INSERT INTO ledger_entries (transaction_id, account_id, amount_micro_usd)
      SELECT id, account_id, amount FROM sides
    )
    SELECT id FROM booked`,
});
