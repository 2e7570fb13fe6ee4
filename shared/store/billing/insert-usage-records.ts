import { joined, literal, perRow, raw, type Sql, sql } from "../sql.ts";

/**
 * SQL: notes what the runs in the CTE `moved` have used, in the statement that ends them, so that each run is metered once.
 * A run that never started is not metered. `message_id` is an id to derive the record's from. `metered_ms` is the duration that was
 * measured, whatever is said by who ends a run.
 */
export const insertUsageRecords = (): Sql => sql`
  INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, plan_id, duration_ms, ${joined(columns, ", ")})
  SELECT 'usage_' || substr(message_id, 5), user_id, agent_id, version, 'run', id, id, plan_id, metered_ms,
    ${joined(figuresOf(sql`usage`), ", ")}
  FROM moved WHERE started_at IS NOT NULL
  ON CONFLICT (source, source_id) DO NOTHING`;

/**
 * SQL: notes what the run in the CTE `before` has used by `$usage` that its record doesn't have: its attempt told it after somebody else
 * had ended the run. Calls with records of their own are left out.
 */
export const insertLateUsage = (): Sql => sql`
  INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, plan_id, ${joined(columns, ", ")})
  SELECT $record_id, user_id, agent_id, version, 'late', id, id, plan_id, ${joined(columns, ", ")}
  FROM before, LATERAL (SELECT ${named((column) => sql`now_used.${column} - used.${column} - calls.${column}`)}
    FROM (SELECT ${namedFigures(sql`$usage`)}) AS now_used, (SELECT ${namedFigures(sql`before.usage`)}) AS used, (
      SELECT ${named((column) => sql`coalesce(sum(call.${column}), 0)::bigint`)}
      FROM run_calls JOIN usage_records AS call ON call.source = 'call' AND call.source_id = run_calls.id
      WHERE run_calls.run_id = before.id ${perRow}) AS calls
  ) AS more
  WHERE greatest(${joined(columns, ", ")}) > 0 AND EXISTS (SELECT 1 FROM usage_records WHERE source = 'run' AND source_id = before.id)
  ON CONFLICT (source, source_id) DO NOTHING`;

/** A million USD; years; and millions of such runs still add up to a bigint. */
const most = 1_000_000_000_000;

/** A record's columns, with the field of a usage, how many of a column's units are one of the field's, and what a column takes. */
const figures = [
  { column: raw("cpu_ms"), field: "cpu_ms", scale: 1, most },
  { column: raw("input_tokens"), field: "input_tokens", scale: 1, most },
  { column: raw("output_tokens"), field: "output_tokens", scale: 1, most },
  { column: raw("tool_calls"), field: "tool_calls", scale: 1, most: 1_000_000_000 },
  { column: raw("cost_micro_usd"), field: "cost_usd", scale: 1_000_000, most },
];
const columns = figures.map(({ column }) => column);

/** Agents report usages, so each figure is held to what its column takes. */
const figuresOf = (usage: Sql): Sql[] =>
  figures.map(
    ({ field, scale, most }) =>
      sql`least(greatest(coalesce((${usage}::json ->> ${literal(field)})::numeric, 0) * ${literal(scale)}, 0), ${literal(most)})::bigint`,
  );

const namedFigures = (usage: Sql): Sql =>
  joined(
    figuresOf(usage).map((figure, at) => sql`${figure} AS ${columns[at]}`),
    ", ",
  );

const named = (of: (column: Sql) => Sql): Sql =>
  joined(
    columns.map((column) => sql`greatest(${of(column)}, 0) AS ${column}`),
    ", ",
  );
