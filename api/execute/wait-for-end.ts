import { type TimeLimit, withTimeLimit } from "../../shared/lifecycle/with-time-limit.ts";
import { beforeFirst } from "../../shared/run/event-id.ts";
import type { ApiContext } from "../context.ts";
import { followRun } from "../stream/follow-run.ts";
import type { Accepted } from "./accept-run.ts";

/** Resolves when the run has ended, or at the limit. Closes the tail at the latter. */
export async function waitForEnd(ctx: ApiContext, { run_id, tail, queued }: Accepted, limit: TimeLimit): Promise<void> {
  await withTimeLimit(limit, async (until) => {
    until.addEventListener("abort", () => tail.close(), { once: true });
    const start = { cursor: queued ?? beforeFirst, fresh: queued !== null };
    for await (const _events of followRun(ctx, run_id, tail, start)) if (until.aborted) return;
  });
}
