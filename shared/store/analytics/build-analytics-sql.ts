import { bucketStarts, type Unit } from "../../domain/analytics/bucket-starts.ts";
import { measures, usedBy } from "./measures.ts";
import { beginOf, lengthOf, type RollupSpan, rolledUntil } from "./rollup-span.ts";
import { raw, type Sql, sql } from "../sql.ts";

/** Whose figures: of agents (or of one version of each), of users, or of all. Each key has its own. */
export type Subject =
  | { by: "agent"; keys: readonly string[]; version?: string | undefined }
  | { by: "user"; keys: readonly string[] }
  | { by: "all" };

/** Analytics tell of the runs that ended in [since, until). */
export type TimeRange = {
  since: Date;
  until: Date;
  /** Calendar units of the time zone, the first and the last cut where the range begins and ends; null: one bucket. */
  unit: Unit | null;
  /** An IANA name. */
  timezone: string;
};

/**
 * SQL for `WITH`: `buckets` (start, lo, hi); `parts` (start, span, since, until), which the buckets consist of: `day` and
 * `half_hour` are rolled up, `rest` is not; `whole` (key, start, and the columns of run_rollups) and `rest` (key, start,
 * user_id, agent_id, and the measures of a run). Each run that ended in the range is in one of the two, once.
 */
export function buildAnalyticsSql(subject: Subject, { since, until, unit, timezone }: TimeRange): Sql {
  const keys = subject.by === "all" ? [""] : [...subject.keys];
  const starts = unit === null ? [since] : bucketStarts(unit, timezone, { since, until });
  // OFFSET keeps the joins out of the innermost selects: few rows are in each part, and the time finds them.
  return sql`
    rolled AS (SELECT ${rolledUntil("half_hour")} AS half_hour, ${rolledUntil("day")} AS day),
    keys AS (SELECT unnest(${keys}::text[]) AS key),
    buckets AS (
      SELECT start, greatest(start, ${since}::timestamptz) AS lo,
        least(lead(start, 1, ${until}::timestamptz) OVER (ORDER BY start), ${until}::timestamptz) AS hi
      FROM unnest(${starts}::timestamptz[]) AS start
    ),
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
      CROSS JOIN LATERAL (SELECT * FROM run_rollups AS r WHERE ${isRollupOf(subject)}
        AND r.span = parts.span::rollup_span AND r.begins_at >= parts.since AND r.begins_at < parts.until OFFSET 0) AS r
      WHERE parts.span <> 'rest'
    ),
    rest AS (
      SELECT keys.key, parts.start, user_id, agent_id, ${measures} FROM parts
      CROSS JOIN LATERAL (
        SELECT * FROM runs WHERE completed_at >= parts.since AND completed_at < parts.until OFFSET 0) AS runs
      JOIN keys ON ${isRunOf(subject)} ${usedBy("runs")}
      WHERE parts.span = 'rest'
    )`;
}

type TimeCut = { from: string; to: string; span: RollupSpan };

/**
 * A CTE (start, lo, hi, first, last): of each range [lo, hi) the part that consists of whole spans that are rolled up;
 * where there is none, first and last are hi.
 */
const within = (name: string, source: string, { from, to, span }: TimeCut): Sql => sql`
  ${raw(name)} AS (
    SELECT start, lo, hi, CASE WHEN first < last THEN first ELSE hi END AS first,
      CASE WHEN first < last THEN last ELSE hi END AS last
    FROM (
      SELECT start, lo, hi, least(${beginOf(span, sql`hi`)}, rolled.${raw(span)}) AS last,
        ${beginOf(span, sql`lo + ${lengthOf(span)} - interval '1 microsecond'`)} AS first
      FROM (SELECT start, ${raw(from)} AS lo, ${raw(to)} AS hi FROM ${raw(source)}) AS uncut, rolled) AS cut
  )`;

function isRollupOf(subject: Subject): Sql {
  if (subject.by !== "agent") return sql`r.user_id = keys.key AND r.agent_id = '' AND r.version = ''`;
  return sql`r.user_id = '' AND r.agent_id = keys.key AND r.version = ${subject.version ?? ""}::text`;
}

function isRunOf(subject: Subject): Sql {
  if (subject.by === "all") return sql`true`;
  if (subject.by === "user") return sql`runs.user_id = keys.key`;
  const isVersion = subject.version === undefined ? sql`true` : sql`runs.version = ${subject.version}::text`;
  return sql`runs.agent_id = keys.key AND ${isVersion}`;
}
