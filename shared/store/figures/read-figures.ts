import type { Db } from "../client.ts";
import { type Measure, histograms, indexOf, type Sums, summed, sums } from "./measures.ts";
import type { Histogram } from "../../run/histogram.ts";
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
       UNION ALL SELECT key, start, ${sums} FROM rest GROUP BY key, start) AS parts
       ON parts.key = keys.key AND parts.start = buckets.start
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
  const { rows } = await db.sql.query<Spread>(
    `WITH ${ctes}, parts AS (
       SELECT key, start, ${column}[place][1] AS index, ${column}[place][2]::bigint AS count
       FROM whole, generate_subscripts(${column}, 1) AS place
       UNION ALL
       SELECT key, start, ${indexOf(value)}, count(*) FROM rest WHERE ${value} IS NOT NULL GROUP BY 1, 2, 3
     ), added AS (SELECT key, start, index, sum(count)::float8 AS count FROM parts GROUP BY key, start, index)
     SELECT key, start, json_agg(json_build_array(index, count) ORDER BY index) AS histogram
     FROM added GROUP BY key, start ORDER BY key, start`,
    values,
  );
  return rows;
}

/** How many runs of all keys ended with which error code, the most frequent first. */
export async function readErrorCodes(
  db: Db,
  subject: Subject,
  stretch: Stretch,
): Promise<{ code: string; count: number }[]> {
  const { ctes, values } = spellFigures(subject, stretch);
  const { rows } = await db.sql.query<{ code: string; count: number }>(
    `WITH ${ctes}, parts AS (
       SELECT code, count::bigint AS count FROM whole, json_each_text(error_codes) AS each (code, count)
       UNION ALL SELECT error_code, count(*) FROM rest WHERE error_code IS NOT NULL GROUP BY 1
     )
     SELECT code, sum(count)::float8 AS count FROM parts GROUP BY code ORDER BY count DESC, code`,
    values,
  );
  return rows;
}
