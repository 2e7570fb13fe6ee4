import type { JobTickRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { JobTick } from "../generated/client.ts";
import type { Page } from "../read-page.ts";

/** `after`: the tick's `id`. */
export type TickPage = { limit: number; after?: string | undefined; order: "asc" | "desc" };

/** A page of a job's ticks, by their times. */
export async function listTicks(
  db: Db,
  jobId: string,
  { limit, after, order }: TickPage,
): Promise<Page<JobTickRecord>> {
  const start = after === undefined ? null : placeOf(after);
  const rows = await pages[order].rows(db.sql, {
    job_id: jobId,
    at: start?.at ?? null,
    manual: start?.manual ?? null,
    limit: limit + 1,
  });
  const data = rows.slice(0, limit).map(toTickRecord);
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { data, has_more: rows.length > limit, first_id, last_id };
}

/** The columns of a tick's row. */
export const tickColumns = {
  job_id: t.text,
  scheduled_at: t.timestamptz,
  outcome: t.enumeration<JobTick["outcome"]>("tick_outcome"),
  manual: t.boolean,
  reason: orNull(t.text),
  run_id: orNull(t.text),
  created_at: t.timestamptz,
};

const page = (order: TickPage["order"]) =>
  statement({
    name: `list-ticks-${order}`,
    takes: { job_id: t.text, at: orNull(t.timestamptz), manual: orNull(t.boolean), limit: t.integer },
    gives: tickColumns,
    text: sql`
      SELECT ${joined(Object.keys(tickColumns).map(raw), ", ")} FROM job_ticks
      WHERE job_id = $job_id AND ($at IS NULL OR (scheduled_at, manual) ${raw(order === "asc" ? ">" : "<")} ($at, $manual))
      ORDER BY scheduled_at ${raw(order)}, manual ${raw(order)} LIMIT $limit`,
  });
const pages = { asc: page("asc"), desc: page("desc") };

export const toTickRecord = ({ scheduled_at, outcome, manual, reason, run_id }: JobTick): JobTickRecord => ({
  id: `${scheduled_at.getTime()}${manual ? byHand : ""}`,
  object: "job_tick",
  scheduled_at: scheduled_at.toISOString(),
  outcome,
  manual,
  reason,
  run_id,
});

const byHand = "-manual";

const placeOf = (id: string): { at: Date; manual: boolean } => ({
  at: new Date(Number.parseInt(id, 10)),
  manual: id.endsWith(byHand),
});
