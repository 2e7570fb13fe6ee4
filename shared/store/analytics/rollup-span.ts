import { literal, type Sql, sql } from "../sql.ts";

/** What is rolled up at once; UTC. Half an hour, since the days of some time zones begin at half past an hour. */
export type RollupSpan = "half_hour" | "day";

const lengths = { half_hour: "30 minutes", day: "1 day" };

/** SQL */
export const lengthOf = (span: RollupSpan): Sql => sql`interval ${literal(lengths[span])}`;

/** SQL: the begin of the span that a time lies in. */
export const beginOf = (span: RollupSpan, time: Sql): Sql =>
  sql`date_bin(${lengthOf(span)}, ${time}, timestamptz '2000-01-01 00:00:00Z')`;

/** SQL: up to when spans are rolled up. */
export const rolledUntil = (span: RollupSpan): Sql =>
  sql`coalesce((SELECT max(begins_at) + ${lengthOf(span)} FROM run_rollups WHERE span = ${literal(span)}), '-infinity')`;
