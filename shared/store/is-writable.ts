import type { Db } from "./client.ts";
import { t } from "./columns.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

/**
 * True when Postgres takes writes; false for a standby and for a demoted primary. Rejects when no answer comes in `answerMs`.
 * A connection that is silent or read-only is closed: the pool's next one may lead to the new primary.
 */
export async function isWritable(db: Pick<Db, "sql">, answerMs: number): Promise<boolean> {
  const client = await db.sql.connect();
  let fault: Error | undefined = new Error("Postgres gave no answer in time.");
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, answerMs, null)));
  try {
    const row = await Promise.race([readMode.first(client), late]);
    if (row === null) throw fault;
    fault = row.read_only ? new Error("Postgres is read-only.") : undefined;
    return !row.read_only;
  } finally {
    clearTimeout(timer);
    client.release(fault);
  }
}

const readMode = statement({
  name: "read-mode",
  gives: { read_only: t.boolean },
  text: sql`SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only`,
});
