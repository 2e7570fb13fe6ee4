import type pg from "pg";
import type { Db } from "./client.ts";
import { isReadOnlyFault } from "./sql-faults.ts";

/** What `act` does over one connection is committed when it resolves, and undone when it rejects. */
export async function inTransaction<T>(db: Db, act: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.sql.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await act(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((fault: Error) => (broken = fault));
    // The pool's next connection may lead to the new primary.
    if (isReadOnlyFault(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}
