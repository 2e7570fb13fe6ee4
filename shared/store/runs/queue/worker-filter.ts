import { listOf, type Row, t } from "../../columns.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";

/** Which runs a worker takes: those of its pool, with one of its adapters. */
export const workerFilter = { adapters: listOf(t.text), pool: t.text };
export type WorkerFilter = Row<typeof workerFilter>;

/** SQL on one row of `runs`: the worker with `$adapters` and `$pool` takes such runs. */
export const fitsWorker = (run: string): Sql =>
  sql`${raw(run)}.pool = $pool AND ${raw(run)}.adapter_type = ANY($adapters)`;

/** A run whose workers were lost so often is executed alone. */
export const lossesUntilAlone = 2;

/** SQL on one row of `runs`: it was lost with its workers so often that it may be the cause. */
export const isSuspect = (run: string): Sql => sql`${raw(run)}.lost_attempts >= ${literal(lossesUntilAlone)}`;
