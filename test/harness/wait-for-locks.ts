import type { Pool } from "pg";
import { waitFor } from "./wait-for.ts";

/** Resolves when so many connections to this database wait for a lock. Other tests' databases are on the same server. */
export const waitForLocks = (sql: Pick<Pool, "query">, count: number): Promise<unknown> =>
  waitFor(async () => {
    const { rowCount } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount === count;
  });
