import { type Histogram, readHistograms } from "../../domain/analytics/histogram.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { joined, raw, type Sql, sql } from "../sql.ts";
import { type Measure, histograms, indexOf } from "./histogram-columns.ts";
import { sumColumns, type Sums, summed, sums } from "./measures.ts";
import { buildAnalyticsSql, type Subject, type TimeRange } from "./build-analytics-sql.ts";

export type Figures<M extends Measure = never> = Sums & { key: string; start: Date; spread: Record<M, Histogram> };

/**
 * The sums of each key in each bucket, and how the `measured` are spread over its runs, by key and time; a bucket without
 * runs has zeros.
 */
export async function readAnalytics<M extends Measure = never>(
  db: Db,
  subject: Subject,
  range: TimeRange,
  measured: readonly M[] = [],
): Promise<Figures<M>[]> {
  const pieces = [wholeSpans(measured), restSums(measured), ...measured.map((each) => restSpread(each, measured))];
  const added = [
    ...summed.map((name) => sql`sum(${raw(name)})::float8 AS ${raw(name)}`),
    // Added up here: Postgres takes ten times as long for it.
    ...measured.map((measure) => sql`string_agg(${raw(measure)}, ' ') AS ${raw(measure)}`),
  ];
  const filled = [
    ...summed.map((name) => sql`coalesce(${raw(name)}, 0) AS ${raw(name)}`),
    ...measured.map((measure) => sql`coalesce(${raw(measure)}, '') AS ${raw(measure)}`),
  ];
  // Grouped before they are joined: Postgres foresees few rows in the join, and would sort them all.
  const rows = await query(
    db.sql,
    { key: t.text, start: t.timestamptz, ...sumColumns, ...spreadColumns(measured) },
    sql`WITH ${buildAnalyticsSql(subject, range)}, added AS (
       SELECT key, start, ${joined(added, ", ")} FROM (${joined(pieces, " UNION ALL ")}) AS pieces GROUP BY key, start
     )
     SELECT keys.key, buckets.start, ${joined(filled, ", ")}
     FROM keys CROSS JOIN buckets LEFT JOIN added ON added.key = keys.key AND added.start = buckets.start
     ORDER BY keys.key, buckets.start`,
  );
  return rows.map((row) => {
    const spread = measured.map((measure) => [measure, readHistograms(row[measure])]);
    return { ...row, spread: Object.fromEntries(spread) as Record<M, Histogram> };
  });
}

/** Only those that are measured; a row is asked for no other. */
const spreadColumns = (measured: readonly Measure[]) =>
  Object.fromEntries(measured.map((measure) => [measure, t.text])) as Record<Measure, typeof t.text>;

// Rows of one shape: key, start, the sums, and a text of histograms for each measure. What a row doesn't know is null.
const wholeSpans = (measured: readonly Measure[]): Sql => {
  const spread = measured.map((measure) => sql`${raw(histograms[measure].column)}::text AS ${raw(measure)}`);
  return sql`SELECT key, start, ${joined([...summed.map(raw), ...spread], ", ")} FROM whole`;
};

const restSums = (measured: readonly Measure[]): Sql =>
  sql`SELECT key, start, ${joined([sums, ...measured.map(() => raw("NULL"))], ", ")} FROM rest GROUP BY key, start`;

const restSpread = (measure: Measure, measured: readonly Measure[]): Sql => {
  const spread = measured.map((each) => raw(each === measure ? "index || ' ' || count" : "NULL"));
  const { value } = histograms[measure];
  return sql`SELECT key, start, ${joined([...summed.map(() => raw("NULL")), ...spread], ", ")} FROM (
    SELECT key, start, ${indexOf(value)} AS index, count(*) AS count FROM rest
    WHERE ${raw(value)} IS NOT NULL GROUP BY 1, 2, 3) AS counted`;
};

/** How many runs of all keys ended with which error code, the most frequent first. */
export async function readErrorCodes(
  db: Db,
  subject: Subject,
  range: TimeRange,
): Promise<{ code: string; count: number }[]> {
  return query(
    db.sql,
    { code: t.text, count: t.double },
    sql`WITH ${buildAnalyticsSql(subject, range)}, codes AS (
       SELECT code, count::bigint AS count FROM whole, json_each_text(error_codes) AS each (code, count)
       UNION ALL SELECT error_code, count(*) FROM rest WHERE error_code IS NOT NULL GROUP BY 1
     )
     SELECT code, sum(count)::float8 AS count FROM codes GROUP BY code ORDER BY count DESC, code`,
  );
}
