import { AppError } from "../../../domain/errors/app-error.ts";
import type { CodeOf } from "../../../domain/errors/error-codes.ts";
import type { Queryable } from "../../client.ts";
import { t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

/** The plan of a user, and how many of the user's runs it allows at once. Null: any number. */
export type PlanRunLimits = {
  /** Null: the user has no plan. */
  plan_id: string | null;
  /** Delayed runs count, too: they join the queue without another check. */
  max_queued_runs: number | null;
  /** Of runs that have not ended. */
  max_concurrent_runs: number | null;
};

/** Returns true when a plan counts its user's runs. */
export const isBounded = ({ max_queued_runs, max_concurrent_runs }: PlanRunLimits): boolean =>
  max_queued_runs !== null || max_concurrent_runs !== null;

/**
 * Returns why one more run of a user has no room; null when it has. Counts what Postgres holds now. A caller that inserts the run
 * calls it under the user's lock (`userLockName`), so that no other run takes the same room.
 */
export async function planLimitFault(
  client: Queryable,
  user_id: string,
  bounds: PlanRunLimits,
): Promise<AppError | null> {
  const { max_queued_runs, max_concurrent_runs } = bounds;
  const { queued = 0, open = 0 } = (await count.first(client, { user_id, most: max_concurrent_runs ?? 0 })) ?? {};
  if (max_queued_runs !== null && queued >= max_queued_runs)
    return busy(
      "too_many_queued_runs",
      `The plan allows ${max_queued_runs} queued runs at once, including delayed ones.`,
    );
  if (max_concurrent_runs !== null && open >= max_concurrent_runs)
    return busy("too_many_open_runs", `The plan allows ${max_concurrent_runs} runs at once, including queued ones.`);
  return null;
}

const busy = (code: CodeOf<"too_many_requests">, message: string) =>
  new AppError("too_many_requests", code, message, 2);

/** Each status by itself, as the partial indexes have them. A user may have a million suspended runs: they are counted to `most`. */
const count = statement({
  name: "count-runs-of-user",
  takes: { user_id: t.text, most: t.integer },
  gives: { queued: t.integer, open: t.integer },
  text: sql`
    SELECT queued + delayed AS queued, running + waiting + suspended AS open FROM (
      SELECT (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.queued()})::int AS queued,
        (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.scheduled()} AND attempt = 0)::int AS delayed,
        (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.running()})::int AS running,
        (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.waiting()})::int AS waiting,
        (SELECT count(*) FROM (
          SELECT FROM runs WHERE user_id = $user_id AND ${runIs.suspended()} LIMIT $most
        ) AS suspended)::int AS suspended
    ) AS counts`,
});
