import { measures } from "./measures.ts";

/** Whose figures: of agents (or of one version of each), of users, or of all. Each key has its own. */
export type Subject =
  | { by: "agent"; keys: readonly string[]; version?: string | undefined }
  | { by: "user"; keys: readonly string[] }
  | { by: "all" };

export const units = ["hour", "day", "week", "month"] as const;
export type Unit = (typeof units)[number];

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
   * For `WITH`: `buckets` (start, lo, hi); `whole` (key, start, and the columns of run_rollups) for the hours that lie
   * within one bucket and are rolled up; `rest` (key, start, and the measures of a run) for all others. Each run that
   * ended in the stretch is in one of the two, once.
   */
  ctes: string;
};

/** The common part of all figures' statements. Its texts are ours; what a client said is in `values`. */
export function spellFigures(subject: Subject, { since, until, unit, timezone }: Stretch): FiguresSql {
  const version = subject.by === "agent" ? (subject.version ?? "") : "";
  const values = [since, until, timezone, subject.by === "all" ? [""] : [...subject.keys], version];
  return {
    values,
    ctes: `
    rolled AS (SELECT coalesce(max(hour) + interval '1 hour', '-infinity') AS until FROM run_rollups),
    -- Not each text names each value, and Postgres must know the types of all.
    keys AS (SELECT unnest($4::text[]) AS key WHERE $3::text IS NOT NULL AND $5::text IS NOT NULL),
    buckets AS (${unit === null ? oneBucket : bucketsOf(unit)}),
    spans AS (
      SELECT start, lo, hi, CASE WHEN first < last THEN first ELSE hi END AS first,
        CASE WHEN first < last THEN last ELSE hi END AS last
      FROM (SELECT start, lo, hi, date_trunc('hour', lo + interval '1 hour' - interval '1 microsecond', 'UTC') AS first,
          least(date_trunc('hour', hi, 'UTC'), rolled.until) AS last FROM buckets, rolled) AS cut
    ),
    whole AS (
      SELECT keys.key, spans.start, r.* FROM spans CROSS JOIN keys JOIN run_rollups r
        ON ${rollupOf[subject.by]} AND r.hour >= spans.first AND r.hour < spans.last
    ),
    rest AS (
      SELECT keys.key, spans.start, ${measures}
      FROM spans CROSS JOIN LATERAL (VALUES (lo, first), (last, hi)) AS edge (since, until)
      JOIN runs ON completed_at >= edge.since AND completed_at < edge.until
      JOIN keys ON ${runOf[subject.by]}
      WHERE edge.since < edge.until
    )`,
  };
}

const oneBucket = "SELECT $1::timestamptz AS start, $1::timestamptz AS lo, $2::timestamptz AS hi";

const bucketsOf = (unit: Unit): string => `
  SELECT start, greatest(start, $1) AS lo, least(lead(start, 1, $2::timestamptz) OVER (ORDER BY start), $2) AS hi
  FROM generate_series(date_trunc('${unit}', $1::timestamptz, $3), $2::timestamptz, interval '1 ${unit}', $3) AS start
  WHERE start < $2`;

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
