import { withTimeLimit } from "../../shared/lifecycle/with-time-limit.ts";
import type { ApiContext } from "../context.ts";
import { followRun } from "../stream/follow-run.ts";
import type { Accepted } from "./accepted.ts";

/** Resolves when the run has ended, after `ms`, when the client goes (`gone`) or when this process does. */
export async function awaitEnd(ctx: ApiContext, accepted: Accepted, ms: number, gone: AbortSignal): Promise<void> {
  const { run_id, tail, queued, cursor } = accepted;
  await withTimeLimit({ ms, signals: [gone, ctx.leaving] }, async (until) => {
    until.addEventListener("abort", () => tail.close(), { once: true });
    const start = { cursor: queued ?? cursor, fresh: queued !== null };
    for await (const _events of followRun(ctx, run_id, tail, start)) if (until.aborted) return;
  });
}
