import type { Batch } from "../batch.ts";
import type { Db } from "../client.ts";
import { type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import { runIsStill } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const given = {
  run_id: t.text,
  attempt: t.integer,
  key: t.text,
  kind: t.text,
  writer: t.text,
  sealed_entry: t.bytea,
};

/** An entry of a run's journal, sealed. `writer`: who commits it. */
export type NewEntry = Row<typeof given>;

/**
 * Commits an entry of a running attempt. Entries of many runs are one statement, which numbers those of each run in their order.
 * A repeat changes nothing. Returns the entry's place; of a repeat a later one, which no entry has. Null: the attempt is stale, and
 * nothing was written.
 */
export async function appendEntry(db: Db, entry: NewEntry): Promise<number | null> {
  return db.inBatches(entries, entry);
}

const entries: Batch<NewEntry, number | null> = {
  most: 256,
  weigh: ({ sealed_entry }) => sealed_entry.length,
  maxWeight: 4 << 20,
  async act(client, items) {
    const counted = items.map(countFollowing);
    const held = new Map((await append.rows(client, input.listsOf(counted))).map((run) => [run.id, run]));
    return counted.map(({ run_id, attempt, following }) => {
      const run = held.get(run_id);
      return run?.attempt === attempt ? run.last_place - following : null;
    });
  },
};

/** `following`: how many of the batch's later entries are of the same attempt. */
const countFollowing = (entry: NewEntry, index: number, all: NewEntry[]) => {
  let following = 0;
  for (let later = index + 1; later < all.length; later += 1)
    if (all[later]?.run_id === entry.run_id && all[later]?.attempt === entry.attempt) following += 1;
  return { ...entry, following };
};

const input = parameterRows({ ...given, following: t.integer });

/**
 * The lock keeps the attempt as it is until the commit. So a later attempt, which can only begin after it, reads all entries
 * that an earlier one was told of. Rows are locked in the order of their ids, as moves do. A repeat leaves a gap in the numbers.
 * A recorded call isn't progress: a request that contains the time differs on each attempt.
 */
const append = statement({
  name: "append-journal-entries",
  takes: input.takes,
  gives: { id: t.text, attempt: t.integer, last_place: t.integer },
  text: sql`
    WITH ${input.cte}, held AS (
      SELECT run.id, run.attempt, input.entries, input.bytes, CASE WHEN input.goes_on THEN run.lost_attempts ELSE 0 END AS lost FROM (
        SELECT run_id, attempt, count(*) AS entries, sum(length(sealed_entry)) AS bytes, bool_or(kind <> 'call') AS goes_on
        FROM input GROUP BY run_id, attempt ORDER BY run_id
      ) AS input, LATERAL (SELECT runs.id, runs.attempt, runs.lost_attempts FROM runs
        WHERE runs.id = input.run_id AND runs.attempt = input.attempt AND ${runIsStill.running()} FOR SHARE) AS run
    ), counted AS (
      INSERT INTO run_journals AS journal (run_id, last_place, bytes, lost_before) SELECT id, entries, bytes, lost FROM held
      ON CONFLICT (run_id) DO UPDATE
        SET last_place = journal.last_place + excluded.last_place, bytes = journal.bytes + excluded.bytes,
          lost_before = greatest(journal.lost_before, excluded.lost_before)
      RETURNING journal.run_id, journal.last_place
    ), written AS (
      INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry)
      SELECT input.run_id, key, last_place - following, input.attempt, kind, writer, sealed_entry
      FROM input JOIN held ON held.id = input.run_id AND held.attempt = input.attempt
        JOIN counted ON counted.run_id = input.run_id
      ON CONFLICT (run_id, key) DO NOTHING
    )
    SELECT held.id, held.attempt, counted.last_place FROM held JOIN counted ON counted.run_id = held.id`,
});
