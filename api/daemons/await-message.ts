import { withTimeLimit } from "../../shared/platform/lifecycle/with-time-limit.ts";
import { beforeFirst } from "../../shared/domain/run/event-id.ts";
import type { ApiContext } from "../context.ts";
import { endOfRun } from "../stream/end-of-run.ts";

/** Resolves when a message's run has ended, or after `waitMs`. */
export async function awaitMessage(ctx: ApiContext, runId: string, waitMs: number): Promise<void> {
  if (waitMs === 0) return;
  const tail = ctx.hub.open(runId);
  await withTimeLimit({ ms: waitMs, signals: [ctx.leaving] }, async (until) => {
    until.addEventListener("abort", () => tail.close(), { once: true });
    if (until.aborted) tail.close();
    await endOfRun(ctx, runId, tail, { cursor: beforeFirst, fresh: false });
  });
  tail.close();
}
