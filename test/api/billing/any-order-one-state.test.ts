import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { applyEvent } from "../../../api/billing/apply-event.ts";
import { openDb } from "../../../shared/store/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { monthOfEvents, subscriptionEnd, verified } from "./month-of-events.ts";

let users = 0;

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
await stack.sql.query(`INSERT INTO plans (id, name, provider_price_id, price_micro_usd, interval) VALUES
  ('small', 'Small', 'price_small', 20000000, 'month'), ('big', 'Big', 'price_big', 90000000, 'month')`);
afterAll(() => db.close());

/** All that events decide, without the user's name and the clock of this machine. */
async function stateOf(user_id: string): Promise<unknown> {
  const all = async (text: string) => (await stack.sql.query(text, [user_id])).rows;
  const state = {
    account: await all("SELECT plan_id, provider_customer_id FROM billing_accounts WHERE user_id = $1"),
    subscriptions: await all(
      `SELECT id, plan_id, status, current_period_end, canceled_at, as_of, created_at FROM subscriptions WHERE user_id = $1 ORDER BY id`,
    ),
    invoices: await all(
      "SELECT id, provider_subscription_id, status, amount_paid, as_of, created_at FROM invoices WHERE user_id = $1 ORDER BY id",
    ),
    payments: await all(
      `SELECT id, provider_charge_id, status, currency, amount, amount_micro_usd, wallet_micro_usd, refunded_amount, disputed,
         failure_message, as_of, created_at FROM payments WHERE user_id = $1 ORDER BY id`,
    ),
    // What was booked for each payment, however many bookings that took.
    booked: await all(
      `SELECT split_part(source_id, '/', 1) AS payment, sum(amount_micro_usd) AS amount FROM ledger_transactions t
       JOIN ledger_entries e ON e.transaction_id = t.id AND e.account_id = 'wallet:' || $1
       WHERE t.user_id = $1 GROUP BY 1 HAVING sum(amount_micro_usd) <> 0 ORDER BY 1`,
    ),
    balance: await all("SELECT balance_micro_usd FROM ledger_accounts WHERE user_id = $1 AND kind = 'wallet'"),
    notifications: await all("SELECT type, dedup_key FROM notifications WHERE user_id = $1 ORDER BY dedup_key"),
    left: await all(
      "SELECT event_id FROM billing_events WHERE object_id LIKE '%' || $1 AND applied_at IS NULL ORDER BY 1",
    ),
  };
  return JSON.parse(JSON.stringify(state).replaceAll(user_id, "U"));
}

test("a month of events ends in one state, whatever their order and repeats, and the ledger sums to nothing", async () => {
  const ends = (user: string, ended: boolean) => [...monthOfEvents(user), ...(ended ? [subscriptionEnd(user)] : [])];
  const expected = new Map<boolean, unknown>();
  for (const ended of [false, true]) {
    const user = `in-order-${ended}`;
    for (const event of ends(user, ended)) expect(await applyEvent(db, verified(event))).toBe(true);
    expected.set(ended, await stateOf(user));
  }
  expect(expected.get(false)).toMatchObject({
    account: [{ plan_id: "big", provider_customer_id: "cus_U" }],
    subscriptions: [{ status: "active" }],
    invoices: [{ status: "paid" }, { status: "open" }],
    // 20 - 5 refunded, 50, and nothing of what is disputed, an invoice's, or in EUR.
    balance: [{ balance_micro_usd: "65000000" }],
    left: [],
  });
  expect(expected.get(true)).toMatchObject({ account: [{ plan_id: null }], subscriptions: [{ status: "canceled" }] });

  const deliveries = fc.boolean().chain((ended) => {
    const all = ends("", ended).map((_, index) => index);
    const once = fc.shuffledSubarray(all, { minLength: all.length });
    const again = fc.array(fc.tuple(fc.constantFrom(...all), fc.nat({ max: 100 })), { maxLength: 20 });
    return fc.record({ ended: fc.constant(ended), once, again });
  });
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ ended, once, again }) => {
      users += 1;
      const user = `any-order-${users}`;
      const order = [...once];
      for (const [index, place] of again) order.splice(place % order.length, 0, index);
      const events = ends(user, ended);
      for (const index of order) await applyEvent(db, verified(Object(events[index])));
      expect(await stateOf(user)).toEqual(expected.get(ended));
    }),
    { numRuns: 100, endOnFailure: true },
  );

  const { rows } = await stack.sql.query(`
    SELECT (SELECT sum(amount_micro_usd) FROM ledger_entries)::text AS entries,
      (SELECT sum(balance_micro_usd) FROM ledger_accounts)::text AS balances,
      (SELECT count(*)::int FROM ledger_accounts a WHERE balance_micro_usd <> (
        SELECT sum(amount_micro_usd) FROM ledger_entries WHERE account_id = a.id)) AS wrong`);
  expect(rows).toEqual([{ entries: "0", balances: "0", wrong: 0 }]);
}, 300_000);

test("events that arrive at once end in that state too", async () => {
  const events = monthOfEvents("at-once").toReversed();
  await Promise.all([...events, ...events].map((event) => applyEvent(db, verified(event))));
  for (const event of monthOfEvents("one-by-one")) await applyEvent(db, verified(event));
  expect(await stateOf("at-once")).toEqual(await stateOf("one-by-one"));
}, 60_000);
