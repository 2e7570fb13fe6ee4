import { withTimeLimit } from "../../shared/platform/lifecycle/with-time-limit.ts";
import type { ApiContext } from "../context.ts";
import { endOfRun } from "../stream/end-of-run.ts";
import type { Accepted } from "./accepted.ts";

/** Resolves when the run has ended, after `ms`, when the client goes (`gone`) or when this process does. */
export async function awaitEnd(ctx: ApiContext, accepted: Accepted, ms: number, gone: AbortSignal): Promise<void> {
  const { run_id, tail, queued, cursor } = accepted;
  await withTimeLimit({ ms, signals: [gone, ctx.leaving] }, async (until) => {
    until.addEventListener("abort", () => tail.close(), { once: true });
    if (until.aborted) tail.close();
    await endOfRun(ctx, run_id, tail, { cursor: queued ?? cursor, fresh: queued !== null });
  });
}
