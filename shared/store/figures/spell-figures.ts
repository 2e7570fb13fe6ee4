import { measures, usedBy } from "./measures.ts";
import { beginOf, lengthOf, type RollupSpan, rolledUntil } from "./rollup-span.ts";

/** Whose figures: of agents (or of one version of each), of users, or of all. Each key has its own. */
export type Subject =
  | { by: "agent"; keys: readonly string[]; version?: string | undefined }
  | { by: "user"; keys: readonly string[] }
  | { by: "all" };

export type Unit = "hour" | "day" | "week" | "month";

/** Figures tell of the runs that ended in [since, until). */
export type Stretch = {
  since: Date;
  until: Date;
  /** Calendar units of the time zone, the first and the last cut where the stretch begins and ends; null: one bucket. */
  unit: Unit | null;
  /** An IANA name. */
  timezone: string;
};

export type FiguresSql = {
  values: unknown[];
  /**
   * For `WITH`: `buckets` (start, lo, hi); `parts` (start, span, since, until), which the buckets consist of: `day` and
   * `half_hour` are rolled up, `rest` is not; `whole` (key, start, and the columns of run_rollups) and `rest` (key, start,
   * user_id, agent_id, and the measures of a run). Each run that ended in the stretch is in one of the two, once.
   */
  ctes: string;
};

/** The common part of all figures' statements. Its texts are ours; what a client said is in `values`. */
export function spellFigures(subject: Subject, { since, until, unit, timezone }: Stretch): FiguresSql {
  const version = subject.by === "agent" ? (subject.version ?? "") : "";
  const values = [since, until, timezone, subject.by === "all" ? [""] : [...subject.keys], version];
  // OFFSET keeps the joins out of the innermost selects: few rows are in each part, and the time finds them.
  return {
    values,
    ctes: `
    rolled AS (SELECT ${rolledUntil("half_hour")} AS half_hour, ${rolledUntil("day")} AS day),
    -- Not each text names each value, and Postgres must know the types of all.
    keys AS (SELECT unnest($4::text[]) AS key WHERE $3::text IS NOT NULL AND $5::text IS NOT NULL),
    buckets AS (${unit === null ? oneBucket : bucketsOf(unit)}),
    ${within("halves", "buckets", { from: "lo", to: "hi", span: "half_hour" })},
    ${within("days", "halves", { from: "first", to: "last", span: "day" })},
    parts AS (
      SELECT start, span, since, until FROM (
        SELECT start, 'rest' AS span, lo AS since, first AS until FROM halves UNION ALL SELECT start, 'rest', last, hi FROM halves
        UNION ALL SELECT start, 'half_hour', lo, first FROM days UNION ALL SELECT start, 'half_hour', last, hi FROM days
        UNION ALL SELECT start, 'day', first, last FROM days) AS cut
      WHERE since < until
    ),
    whole AS (
      SELECT keys.key, parts.start, r.* FROM parts CROSS JOIN keys
      CROSS JOIN LATERAL (SELECT * FROM run_rollups AS r WHERE ${rollupOf[subject.by]}
        AND r.span = parts.span::rollup_span AND r.begins_at >= parts.since AND r.begins_at < parts.until OFFSET 0) AS r
      WHERE parts.span <> 'rest'
    ),
    rest AS (
      SELECT keys.key, parts.start, user_id, agent_id, ${measures} FROM parts
      CROSS JOIN LATERAL (
        SELECT * FROM runs WHERE completed_at >= parts.since AND completed_at < parts.until OFFSET 0) AS runs
      JOIN keys ON ${runOf[subject.by]} ${usedBy("runs")}
      WHERE parts.span = 'rest'
    )`,
  };
}

const oneBucket = "SELECT $1::timestamptz AS start, $1::timestamptz AS lo, $2::timestamptz AS hi";

const bucketsOf = (unit: Unit): string => `
  SELECT start, greatest(start, $1) AS lo, least(lead(start, 1, $2::timestamptz) OVER (ORDER BY start), $2) AS hi
  FROM generate_series(date_trunc('${unit}', $1::timestamptz, $3), $2::timestamptz, interval '1 ${unit}', $3) AS start
  WHERE start < $2`;

type Cut = { from: string; to: string; span: RollupSpan };

/**
 * A CTE (start, lo, hi, first, last): of each stretch [lo, hi) the part that consists of whole spans that are rolled up;
 * where there is none, first and last are hi.
 */
const within = (name: string, source: string, { from, to, span }: Cut): string => `
  ${name} AS (
    SELECT start, lo, hi, CASE WHEN first < last THEN first ELSE hi END AS first,
      CASE WHEN first < last THEN last ELSE hi END AS last
    FROM (
      SELECT start, lo, hi, least(${beginOf(span, "hi")}, rolled.${span}) AS last,
        ${beginOf(span, `lo + ${lengthOf(span)} - interval '1 microsecond'`)} AS first
      FROM (SELECT start, ${from} AS lo, ${to} AS hi FROM ${source}) AS uncut, rolled) AS cut
  )`;

const rollupOf = {
  agent: "r.user_id = '' AND r.agent_id = keys.key AND r.version = $5",
  user: "r.user_id = keys.key AND r.agent_id = '' AND r.version = ''",
  all: "r.user_id = keys.key AND r.agent_id = '' AND r.version = ''",
};

const runOf = {
  agent: "runs.agent_id = keys.key AND ($5 = '' OR runs.version = $5)",
  user: "runs.user_id = keys.key",
  all: "true",
};
