import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns one entry, still sealed; null: there is none. */
export async function readEntry(db: Db, run_id: string, key: string): Promise<Buffer | null> {
  return (await readOne.first(db.sql, { run_id, key }))?.sealed_entry ?? null;
}

const readOne = statement({
  name: "read-journal-entry",
  takes: { run_id: t.text, key: t.text },
  gives: { sealed_entry: t.bytea },
  text: sql`SELECT sealed_entry FROM journal_entries WHERE run_id = $run_id AND key = $key`,
});
