import type { Db, Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { inTransaction } from "../in-transaction.ts";

/** Any number that nothing else in this database locks. */
const lockId = 5_262_019;

/**
 * A transaction that moves money, or what decides on it. They follow one another: an event may concern rows that only an
 * event beside it makes known, and all of them add to the same few ledger accounts.
 */
export function inBillingTransaction<T>(db: Db, act: (client: Queryable) => Promise<T>): Promise<T> {
  return db.withMutex("billing", () =>
    inTransaction(db, async (client) => {
      await lock.count(client);
      return act(client);
    }),
  );
}

const lock = statement({
  name: "lock-billing",
  gives: { locked: t.text },
  text: sql`SELECT pg_advisory_xact_lock(${literal(lockId)})::text AS locked`,
});
