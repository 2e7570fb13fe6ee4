import type { Db } from "../client.ts";
import { type Measure, histograms, indexOf } from "./histogram-columns.ts";
import { type Sums, summed, sums } from "./measures.ts";
import { addHistograms, type Histogram } from "../../run/histogram.ts";
import { spellFigures, type Stretch, type Subject } from "./spell-figures.ts";

export type Figures = Sums & { key: string; start: Date };

/** The sums of each key in each bucket, by key and time; a bucket without runs has zeros. */
export async function readFigures(db: Db, subject: Subject, stretch: Stretch): Promise<Figures[]> {
  const { ctes, values } = spellFigures(subject, stretch);
  const added = summed.map((name) => `coalesce(sum(${name}), 0)::float8 AS ${name}`).join(", ");
  const { rows } = await db.sql.query<Figures>(
    `WITH ${ctes}
     SELECT keys.key, buckets.start, ${added} FROM keys CROSS JOIN buckets LEFT JOIN (
       SELECT key, start, ${summed.join(", ")} FROM whole
       UNION ALL SELECT key, start, ${sums} FROM rest GROUP BY key, start) AS added
       ON added.key = keys.key AND added.start = buckets.start
     GROUP BY keys.key, buckets.start ORDER BY keys.key, buckets.start`,
    values,
  );
  return rows;
}

export type Spread = { key: string; start: Date; histogram: Histogram };

/** How a measure is spread over the runs of each key in each bucket; one without runs is left out. */
export async function readSpread(db: Db, measure: Measure, subject: Subject, stretch: Stretch): Promise<Spread[]> {
  const { ctes, values } = spellFigures(subject, stretch);
  const { value, column } = histograms[measure];
  const { rows } = await db.sql.query<{ key: string; start: Date; histograms: Histogram[] }>(
    `WITH ${ctes}
     SELECT key, start, json_agg(histogram) AS histograms FROM (
       SELECT key, start, ${column} AS histogram FROM whole
       UNION ALL SELECT key, start, json_agg(json_build_array(index, count)) FROM (
         SELECT key, start, ${indexOf(value)} AS index, count(*) AS count FROM rest WHERE ${value} IS NOT NULL GROUP BY 1, 2, 3
       ) AS counted GROUP BY key, start) AS parts
     GROUP BY key, start ORDER BY key, start`,
    values,
  );
  // Added here: Postgres takes ten times as long for it.
  return rows.map(({ key, start, histograms: parts }) => ({ key, start, histogram: addHistograms(parts) }));
}

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
