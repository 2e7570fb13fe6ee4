import type { RunStatus } from "../../shared/domain/run/run-status.ts";
import { wantedLabels } from "../../shared/schemas/labels.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { RunFilter } from "../../shared/store/runs/read/list-runs.ts";
import type { MovedRun } from "../../shared/store/runs/read/run-changes.ts";
import type { MembershipOf } from "../stream/change-reader.ts";

export type ChangeFilter = Omit<RunFilter, "search" | "search_in" | "run_ids">;

/** Returns what a run's moves mean for a list with these filters. The statement of the list decides the same (`runConditions`). */
export function filterChanges(owner: Owner, filter: ChangeFilter): MembershipOf {
  const isLasting = lasting(owner, filter);
  const hasStatus = isOneOf(filter.status);
  const hasWorker = isOneOf(filter.worker_id);
  return (run, moves) => {
    if (!isLasting(run)) return null;
    if (hasStatus(run.status) && hasWorker(run.worker_id)) return true;
    return moves.some(({ from }) => wasListed(from, filter, hasStatus)) ? false : null;
  };
}

function wasListed(
  from: RunStatus | null,
  { worker_id }: ChangeFilter,
  hasStatus: (status: RunStatus) => boolean,
): boolean {
  // A run that isn't running has no worker, or keeps the one it ended at.
  return from !== null && hasStatus(from) && (worker_id === undefined || from === "running");
}

/** What holds of a run as long as it exists, or from its end on. */
function lasting(owner: Owner, filter: ChangeFilter): (run: MovedRun) => boolean {
  const { since, until, min_duration_ms, error_code } = filter;
  const labels = wantedLabels(filter);
  const tests = [
    field("agent_id", filter.agent_id),
    field("version", filter.version),
    field("user_id", filter.user_id),
    field("user_id", owner ?? undefined),
    field("thread_id", filter.thread_id),
    field("job_id", filter.job_id),
    field("replay_of", filter.replay_of),
    field("parent_run_id", filter.parent_run_id),
    field("root_run_id", filter.root_run_id),
    field("origin", filter.origin),
    field("lifecycle", filter.lifecycle),
  ];
  return (run) =>
    tests.every((test) => test(run)) &&
    labels.every((label) => run.labels.includes(label)) &&
    (error_code === undefined || run.error?.code === error_code) &&
    (min_duration_ms === undefined || (run.duration_ms ?? -1) >= min_duration_ms) &&
    (since === undefined || run.created_at >= since) &&
    (until === undefined || run.created_at < until);
}

const field = (name: keyof MovedRun, wanted: string | readonly string[] | undefined): ((run: MovedRun) => boolean) => {
  const test = isOneOf(wanted);
  return (run) => test(run[name]);
};

function isOneOf(wanted: string | readonly string[] | undefined): (value: unknown) => boolean {
  if (wanted === undefined) return () => true;
  const values = new Set<unknown>(typeof wanted === "string" ? [wanted] : wanted);
  return (value) => values.has(value);
}
