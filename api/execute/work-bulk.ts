import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { claimBulk, type HeldBulk } from "../../shared/store/bulk/bulk-operations.ts";
import { nextRuns, noteProgress } from "../../shared/store/bulk/work-bulk.ts";
import type { ApiContext } from "../context.ts";
import { cancelRun } from "../../shared/services/runs/cancel-run.ts";
import { startReplay } from "./start-replay.ts";

const everyMs = 1_000;
const atOnce = 20;

/** Does the bulk operations that were asked for, this process' share of them, until it is closed. */
export function startBulkWork(ctx: ApiContext): Loop {
  return startLoop("bulk", everyMs, ctx.log, async () => {
    for (let bulk = await claimBulk(ctx.db); bulk && !ctx.leaving.aborted; bulk = await claimBulk(ctx.db))
      await workThrough(ctx, bulk);
  });
}

/** Stops where this process leaves, or has lost the operation to another one. */
async function workThrough(ctx: ApiContext, claimed: HeldBulk): Promise<void> {
  let bulk: HeldBulk | null = claimed;
  while (bulk && !ctx.leaving.aborted) {
    const held: HeldBulk = bulk;
    const runs = await nextRuns(ctx.db, held, atOnce);
    const outcomes = await Promise.all(runs.map(({ id }) => act(ctx, held, id)));
    const done = outcomes.filter(Boolean).length;
    const cursor = runs.at(-1)?.place ?? held.cursor;
    const finished = runs.length < atOnce;
    const noted = await noteProgress(ctx.db, held, { done, failed: runs.length - done, cursor, finished });
    bulk = finished ? null : noted;
  }
}

/** False: it couldn't be done to this run. A run is replayed once, even where two processes come to it. */
async function act(ctx: ApiContext, { id, action, owner, user_id, edits }: HeldBulk, runId: string): Promise<boolean> {
  try {
    if (action === "cancel") return await cancelRun(ctx, runId, owner);
    const key = { user_id, route: `bulk/${id}`, key: runId };
    const nothing = { env_vars: {}, files: {}, state_snapshot: "" };
    await startReplay(ctx, runId, { ...nothing, ...edits }, { owner, traceparent: null, key });
    return true;
  } catch (error) {
    ctx.log.warn({ bulk_id: id, run_id: runId, err: String(error) }, "a run of a bulk operation was passed over");
    return false;
  }
}
