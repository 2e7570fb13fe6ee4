import type { ErrorGroup } from "../../shared/schemas/error-group.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { type ErrorDecision, readErrorDecisions } from "../../shared/store/runs/errors/error-groups.ts";
import { type Failure, type FailureFilter, readFailures } from "../../shared/store/runs/errors/failures.ts";

/** Errors that are alike, and the runs that had them, newest first. */
export type GroupedErrors = { group: ErrorGroup; run_ids: string[] };

type Found = { groups: GroupedErrors[]; failures: number; more: boolean };

/** Returns the errors of failed runs in groups, the largest first. */
export async function groupErrors(db: Db, owner: Owner, filter: FailureFilter): Promise<Found> {
  const { failures, more } = await readFailures(db, owner, filter);
  const alike = new Map<string, Failure[]>();
  for (const failure of failures) {
    const known = alike.get(failure.fingerprint);
    if (known) known.push(failure);
    else alike.set(failure.fingerprint, [failure]);
  }
  const decisions = await readErrorDecisions(db, [...new Set(failures.map(({ agent_id }) => agent_id))]);
  const groups = [...alike].map(([fingerprint, runs]) => ({
    group: {
      ...describe(runs, filter),
      share: runs.length / failures.length,
      ...stateOf(runs, decisions.get(fingerprint)),
    },
    run_ids: runs.map(({ run_id }) => run_id),
  }));
  // The sort keeps the order of equals: the newest first.
  return { groups: groups.sort((one, other) => other.group.count - one.group.count), failures: failures.length, more };
}

const longestMessage = 1_000;

function describe(runs: readonly Failure[], range: { since: Date; until: Date }) {
  const [newest, oldest] = [runs[0], runs.at(-1)];
  if (!newest || !oldest) throw new Error("A group of errors has a run.");
  const { agent_id, user_id, code, type, message, frame, fingerprint } = newest;
  return {
    object: "error_group" as const,
    ...{ fingerprint, agent_id, user_id, code, type, message: message.slice(0, longestMessage), frame },
    count: runs.length,
    first_at: oldest.created_at.toISOString(),
    last_at: newest.created_at.toISOString(),
    last_run_id: newest.run_id,
    versions: countVersions(runs),
    trend: trendOf(runs, range),
  };
}

function countVersions(runs: readonly Failure[]): { version: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { version } of runs) counts.set(version, (counts.get(version) ?? 0) + 1);
  const most = [...counts].map(([version, count]) => ({ version, count }));
  return most.sort((one, other) => other.count - one.count).slice(0, 10);
}

const parts = 24;

function trendOf(runs: readonly Failure[], { since, until }: { since: Date; until: Date }): number[] {
  const trend = Array<number>(parts).fill(0);
  const length = Math.max(1, until.getTime() - since.getTime()) / parts;
  for (const { created_at } of runs) {
    const part = Math.min(parts - 1, Math.floor((created_at.getTime() - since.getTime()) / length));
    trend[part] = (trend[part] ?? 0) + 1;
  }
  return trend;
}

function stateOf(runs: readonly Failure[], decision: ErrorDecision | undefined) {
  if (!decision) return { state: "open" as const, state_changed_at: null, state_changed_by: null, regressed: false };
  const { state, changed_at, changed_by } = decision;
  const last = runs[0]?.created_at ?? changed_at;
  const regressed = state === "resolved" && last > changed_at;
  const changed = { state_changed_at: changed_at.toISOString(), state_changed_by: changed_by };
  return { state: regressed ? ("open" as const) : state, ...changed, regressed };
}
