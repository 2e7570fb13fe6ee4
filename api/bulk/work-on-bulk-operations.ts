import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { isDependencyFault } from "../../shared/store/is-dependency-fault.ts";
import { claimBulk, type HeldBulk } from "../../shared/store/bulk/bulk-operations.ts";
import { giveBackBulk, nextRuns, noteProgress } from "../../shared/store/bulk/work-bulk.ts";
import type { AcceptDeps } from "../../shared/services/runs/accept-run.ts";
import type { ApiContext } from "../context.ts";
import { cancelRun } from "../../shared/services/runs/cancel-run.ts";
import { runAgain } from "../../shared/services/runs/run-again.ts";
import { errorText } from "../../shared/platform/error-text.ts";
import { hashJson } from "../../shared/platform/hash-json.ts";

const intervalMs = 1_000;
/** So many runs are cancelled or run again at the same time. */
const batchSize = 20;
/** After so long an operation goes back, and the one that has waited longest is next. */
const turnMs = 2_000;
/** So long an operation rests when a run has to wait for room in the queue, for a worker or for Postgres. */
const restMs = 2_000;
/** What can't be done so long after the operation was asked for has failed. The runs' keys are kept for an hour more. */
const mostWaitMs = 23 * 60 * 60_000;

type Deps = AcceptDeps & Pick<ApiContext, "leaving">;

/** Executes stored bulk operations until the loop is closed. Several processes share them. */
export function startBulkWork(ctx: Deps): Loop {
  return startLoop("bulk", intervalMs, ctx.log, async () => {
    for (let bulk = await claimBulk(ctx.db); bulk && !ctx.leaving.aborted; bulk = await claimBulk(ctx.db))
      await executeBulk(ctx, bulk);
  });
}

/** Works at an operation for a while. Stops earlier when this process shuts down or has lost the operation to another one. */
async function executeBulk(ctx: Deps, claimed: HeldBulk): Promise<void> {
  const until = performance.now() + turnMs;
  let step: Step = { next: claimed, mustWait: false };
  // The first batch is one run: while that has to wait, no other is tried.
  for (let most = 1; step.next && !step.mustWait; most = batchSize) {
    if (performance.now() > until || ctx.leaving.aborted) break;
    step = await workOnBatch(ctx, step.next, most);
  }
  if (step.next) await giveBackBulk(ctx.db, step.next, step.mustWait ? restMs : 0);
}

/** `next`: null when the operation is done, or another process's. */
type Step = { next: HeldBulk | null; mustWait: boolean };

async function workOnBatch(ctx: Deps, held: HeldBulk, most: number): Promise<Step> {
  const { runs, horizon } = await nextRuns(ctx.db, held, most);
  const outcomes = await Promise.all(runs.map(({ id }) => applyToRun(ctx, held, id)));
  const waiting = outcomes.indexOf("must_wait");
  if (waiting !== -1) {
    // From the first run that has to wait on, all are tried again later. A run that was cancelled is not found again.
    const counted = held.action === "cancel" ? outcomes : outcomes.slice(0, waiting);
    const cursor = runs[waiting - 1]?.place ?? held.cursor;
    return { next: await noteProgress(ctx.db, held, { ...tally(counted), cursor, finished: false }), mustWait: true };
  }
  const isThrough = runs.length < most;
  const finished = isThrough && horizon === null;
  const cursor = (isThrough ? horizon : null) ?? runs.at(-1)?.place ?? held.cursor;
  const noted = await noteProgress(ctx.db, held, { ...tally(outcomes), cursor, finished });
  return { next: finished ? null : noted, mustWait: false };
}

const tally = (outcomes: readonly Outcome[]): { done: number; failed: number } => ({
  done: outcomes.filter((outcome) => outcome === "done").length,
  failed: outcomes.filter((outcome) => outcome === "failed").length,
});

type Outcome = "done" | "failed" | "must_wait";

/** Applies the action to a run. The key lets a run be run again once, even by two processes. */
async function applyToRun(
  ctx: Deps,
  { id, action, owner, actor, user_id, edits, created_at }: HeldBulk,
  runId: string,
): Promise<Outcome> {
  try {
    if (action === "cancel") return (await cancelRun(ctx, runId, { owner, actor })) ? "done" : "failed";
    const key = { user_id, route: `bulk/${id}`, key: runId };
    const nothing = { env_vars: {}, files: {}, state_snapshot: "" };
    const key_hash = hashJson({ run_id: runId, edits });
    await runAgain(
      ctx,
      runId,
      { ...nothing, ...edits },
      { owner, actor, traceparent: null, key, key_hash, bulk_id: id },
    );
    return "done";
  } catch (error) {
    if (mayPass(error) && Date.now() - created_at.getTime() < mostWaitMs) return "must_wait";
    ctx.log.warn({ bulk_id: id, run_id: runId, err: errorText(error) }, "a bulk operation failed for a run");
    return "failed";
  }
}

/** True when the same may succeed later: a full queue, no worker, Postgres that fails over. A failed daemon waits for its user. */
const mayPass = (error: unknown): boolean =>
  isDependencyFault(error) ||
  (error instanceof AppError &&
    (error.kind === "too_many_requests" || (error.kind === "unavailable" && error.code !== "daemon_failed")));
