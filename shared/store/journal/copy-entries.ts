import type { Queryable } from "../client.ts";
import { type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const given = { run_id: t.text, key: t.text, place: t.integer, kind: t.text, sealed_entry: t.bytea };

export type CopiedEntry = Omit<Row<typeof given>, "run_id">;

/** A statement's parameters are held a few times over on their way. */
const chunkBytes = 4 * 1024 * 1024;

/** Writes the journal that a new run begins with, in the transaction that inserts the run. */
export async function copyEntries(client: Queryable, run_id: string, entries: readonly CopiedEntry[]): Promise<void> {
  let chunk: Row<typeof given>[] = [];
  let bytes = 0;
  for (const entry of entries) {
    chunk.push({ ...entry, run_id });
    bytes += entry.sealed_entry.length;
    if (bytes < chunkBytes) continue;
    await copy.count(client, input.listsOf(chunk));
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) await copy.count(client, input.listsOf(chunk));
}

const input = parameterRows(given);

const copy = statement({
  name: "copy-journal",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}, counted AS (
      INSERT INTO run_journals (run_id, last_place, bytes)
      SELECT run_id, count(*), sum(length(sealed_entry)) FROM input GROUP BY run_id
      ON CONFLICT (run_id) DO UPDATE SET last_place = run_journals.last_place + excluded.last_place,
        bytes = run_journals.bytes + excluded.bytes
    )
    INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry)
    SELECT run_id, key, place, 0, kind, 'replay', sealed_entry FROM input`,
});
