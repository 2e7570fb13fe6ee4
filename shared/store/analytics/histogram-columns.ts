import { raw, type Sql, sql } from "../sql.ts";

/** Where the values of a histogram come from: its measure, and the column that holds it rolled up. */
export const histograms = {
  duration: { value: "duration_ms", column: "duration_histogram" },
  queue: { value: "queue_ms", column: "queue_histogram" },
  tokens: { value: "(input_tokens + output_tokens)", column: "token_histogram" },
} as const;
export type Measure = keyof typeof histograms;

/** SQL: the index of a value in a histogram; see shared/domain/analytics/histogram.ts. */
export const indexOf = (value: string): Sql => sql`floor(ln(greatest(${raw(value)}, 1)) / ln(2::float8) * 8)::int`;
