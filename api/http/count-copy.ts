import { conflict } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { countRequests } from "./authorize.ts";
import type { Caller } from "./caller.ts";
import type { Guards } from "./guards.ts";

/** What a fork copies counts as one more request for each of these sizes. */
const bytesPerRequest = 1024 * 1024;

/**
 * Counts the messages that a fork of a thread is about to copy against the caller's rate limit. Throws conflict when they are too
 * many, and too_many_requests.
 */
export async function countCopy(
  guards: Pick<Guards, "limiter">,
  caller: Caller,
  from: { ip?: string | undefined },
  bytes: number,
): Promise<void> {
  const most = requestLimits.thread_fork_bytes;
  if (bytes > most)
    throw conflict(
      "thread_too_large",
      `The thread's messages are more than the ${most} bytes that are copied. Fork it up to an earlier run, the 'run_id' of POST /v1/threads/{thread_id}/fork.`,
    );
  const requests = Math.floor(bytes / bytesPerRequest);
  if (requests > 0) await countRequests(guards, caller, from, { requests, counted: 1 });
}
