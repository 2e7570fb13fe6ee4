import { type Histogram, readHistograms } from "../../domain/analytics/histogram.ts";
import type { Db } from "../client.ts";
import { type Measure, histograms, indexOf } from "./histogram-columns.ts";
import { type Sums, summed, sums } from "./measures.ts";
import { spellFigures, type Stretch, type Subject } from "./spell-figures.ts";

export type Figures<M extends Measure = never> = Sums & { key: string; start: Date; spread: Record<M, Histogram> };

/**
 * The sums of each key in each bucket, and how the `measured` are spread over its runs, by key and time; a bucket without
 * runs has zeros.
 */
export async function readFigures<M extends Measure = never>(
  db: Db,
  subject: Subject,
  stretch: Stretch,
  measured: readonly M[] = [],
): Promise<Figures<M>[]> {
  const { ctes, values } = spellFigures(subject, stretch);
  const pieces = [wholeSpans(measured), restSums(measured), ...measured.map((each) => restSpread(each, measured))];
  const added = [
    ...summed.map((name) => `sum(${name})::float8 AS ${name}`),
    // Added up here: Postgres takes ten times as long for it.
    ...measured.map((measure) => `string_agg(${measure}, ' ') AS ${measure}`),
  ];
  const filled = [
    ...summed.map((name) => `coalesce(${name}, 0) AS ${name}`),
    ...measured.map((measure) => `coalesce(${measure}, '') AS ${measure}`),
  ];
  // Grouped before they are joined: Postgres foresees few rows in the join, and would sort them all.
  const { rows } = await db.sql.query<Sums & { key: string; start: Date } & Record<M, string>>(
    `WITH ${ctes}, added AS (
       SELECT key, start, ${added.join(", ")} FROM (${pieces.join(" UNION ALL ")}) AS pieces GROUP BY key, start
     )
     SELECT keys.key, buckets.start, ${filled.join(", ")}
     FROM keys CROSS JOIN buckets LEFT JOIN added ON added.key = keys.key AND added.start = buckets.start
     ORDER BY keys.key, buckets.start`,
    values,
  );
  return rows.map((row) => {
    const spread = measured.map((measure) => [measure, readHistograms(row[measure])]);
    return { ...row, spread: Object.fromEntries(spread) as Record<M, Histogram> };
  });
}

// Rows of one shape: key, start, the sums, and a text of histograms for each measure. What a row doesn't know is null.
const wholeSpans = (measured: readonly Measure[]): string => {
  const spread = measured.map((measure) => `${histograms[measure].column}::text AS ${measure}`);
  return `SELECT key, start, ${[...summed, ...spread].join(", ")} FROM whole`;
};

const restSums = (measured: readonly Measure[]): string =>
  `SELECT key, start, ${[sums, ...measured.map(() => "NULL")].join(", ")} FROM rest GROUP BY key, start`;

const restSpread = (measure: Measure, measured: readonly Measure[]): string => {
  const spread = measured.map((each) => (each === measure ? "index || ' ' || count" : "NULL"));
  return `SELECT key, start, ${[...summed.map(() => "NULL"), ...spread].join(", ")} FROM (
    SELECT key, start, ${indexOf(histograms[measure].value)} AS index, count(*) AS count FROM rest GROUP BY 1, 2, 3) AS counted`;
};

/** How many runs of all keys ended with which error code, the most frequent first. */
export async function readErrorCodes(
  db: Db,
  subject: Subject,
  stretch: Stretch,
): Promise<{ code: string; count: number }[]> {
  const { ctes, values } = spellFigures(subject, stretch);
  const { rows } = await db.sql.query<{ code: string; count: number }>(
    `WITH ${ctes}, codes AS (
       SELECT code, count::bigint AS count FROM whole, json_each_text(error_codes) AS each (code, count)
       UNION ALL SELECT error_code, count(*) FROM rest WHERE error_code IS NOT NULL GROUP BY 1
     )
     SELECT code, sum(count)::float8 AS count FROM codes GROUP BY code ORDER BY count DESC, code`,
    values,
  );
  return rows;
}
