import type { Batch } from "../../batch.ts";
import type { Db } from "../../client.ts";
import { type Row, t } from "../../columns.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** `length`: the characters of its events. */
export type EndedAttempt = { id: string; attempt: number; length: number };

/**
 * Joins the chunks of the attempt that ended a run to chunks of some 64 KB. An attempt that another one may still salvage must
 * not be given. Runs that are being deleted or purged are left as they are.
 */
export const compactTranscript = (db: Db, ended: EndedAttempt): Promise<void> => db.inBatches(compactions, ended);

const joinedBytes = 64 * 1024;

const given = { id: t.text, attempt: t.integer };
const input = parameterRows<typeof given>(given);

const compactions: Batch<EndedAttempt, void> = {
  most: 64,
  weigh: ({ length }) => length,
  maxWeight: 4 << 20,
  apart: ({ id }) => id,
  async act(client, ended) {
    const rows = ended.map(({ id, attempt }): Row<typeof given> => ({ id, attempt }));
    await compact.count(client, input.listsOf(rows));
    return ended.map(() => undefined);
  },
};

// A chunk's text is a list, [[seq, type, data], …]: lists are joined without being read.
const compact = statement({
  name: "compact-transcript",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}, held AS (
      SELECT runs.id, runs.attempt FROM runs JOIN input ON runs.id = input.id AND runs.attempt = input.attempt
      WHERE completed_at IS NOT NULL AND purged_at IS NULL FOR KEY SHARE OF runs SKIP LOCKED
    ), sized AS (
      SELECT chunk.*, (sum(octet_length(events::text)) OVER (PARTITION BY run_id ORDER BY first_seq)
        - octet_length(events::text)) / ${literal(joinedBytes)} AS part
      FROM transcript_chunks AS chunk JOIN held ON chunk.run_id = held.id AND chunk.attempt = held.attempt
    ), joined AS (
      SELECT run_id, attempt, min(first_seq) AS first_seq, max(last_seq) AS last_seq,
        ('[' || string_agg(substr(events::text, 2, length(events::text) - 2), ',' ORDER BY first_seq) || ']')::json AS events
      FROM sized GROUP BY run_id, attempt, part HAVING count(*) > 1
    ), gone AS (
      DELETE FROM transcript_chunks AS chunk USING joined
      WHERE chunk.run_id = joined.run_id AND chunk.attempt = joined.attempt
        AND chunk.first_seq > joined.first_seq AND chunk.first_seq <= joined.last_seq
    )
    UPDATE transcript_chunks AS chunk SET last_seq = joined.last_seq, events = joined.events FROM joined
    WHERE chunk.run_id = joined.run_id AND chunk.attempt = joined.attempt AND chunk.first_seq = joined.first_seq`,
});
