import { type Answer, type ResumeDeps, resumeRun } from "../../shared/services/runs/resume-run.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { FollowedRun } from "./respond-run.ts";
import type { TailHub } from "./tail-hub.ts";

/** Answers an interrupted run and listens to its events since before it could go on. The caller closes the tail. */
export async function resumeAndFollow(
  deps: ResumeDeps & { hub: Pick<TailHub, "open"> },
  answer: Answer,
  owner: Owner,
): Promise<FollowedRun> {
  const { run_id } = answer;
  const tail = deps.hub.open(run_id);
  try {
    return { run_id, thread_id: null, queued: null, cursor: await resumeRun(deps, answer, owner), tail };
  } catch (error) {
    tail.close();
    throw error;
  }
}
