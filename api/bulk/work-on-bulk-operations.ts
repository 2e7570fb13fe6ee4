import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { claimBulk, type HeldBulk } from "../../shared/store/bulk/bulk-operations.ts";
import { giveBackBulk, nextRuns, noteProgress } from "../../shared/store/bulk/work-bulk.ts";
import type { AcceptDeps } from "../../shared/services/runs/accept-run.ts";
import type { ApiContext } from "../context.ts";
import { cancelRun } from "../../shared/services/runs/cancel-run.ts";
import { runAgain } from "../../shared/services/runs/run-again.ts";
import { errorText } from "../../shared/platform/error-text.ts";

const intervalMs = 1_000;
/** So many runs are cancelled or run again at the same time. */
const batchSize = 20;
/** After so long an operation goes back, and the one that has waited longest is next. */
const turnMs = 2_000;

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
  let bulk: HeldBulk | null = claimed;
  const until = performance.now() + turnMs;
  while (bulk && performance.now() < until && !ctx.leaving.aborted) {
    const held: HeldBulk = bulk;
    const runs = await nextRuns(ctx.db, held, batchSize);
    const outcomes = await Promise.all(runs.map(({ id }) => applyToRun(ctx, held, id)));
    const done = outcomes.filter(Boolean).length;
    const cursor = runs.at(-1)?.place ?? held.cursor;
    const finished = runs.length < batchSize;
    const noted = await noteProgress(ctx.db, held, { done, failed: runs.length - done, cursor, finished });
    bulk = finished ? null : noted;
  }
  if (bulk) await giveBackBulk(ctx.db, bulk);
}

/** Returns false when the action failed for this run. The key lets a run be run again once, even by two processes. */
async function applyToRun(
  ctx: Deps,
  { id, action, owner, actor, user_id, edits }: HeldBulk,
  runId: string,
): Promise<boolean> {
  try {
    if (action === "cancel") return await cancelRun(ctx, runId, { owner, actor });
    const key = { user_id, route: `bulk/${id}`, key: runId };
    const nothing = { env_vars: {}, files: {}, state_snapshot: "" };
    await runAgain(ctx, runId, { ...nothing, ...edits }, { owner, actor, traceparent: null, key, bulk_id: id });
    return true;
  } catch (error) {
    ctx.log.warn({ bulk_id: id, run_id: runId, err: errorText(error) }, "a bulk operation failed for a run");
    return false;
  }
}
