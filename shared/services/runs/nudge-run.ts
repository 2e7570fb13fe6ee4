import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { NewRun } from "../../store/runs/insert-run.ts";

type Deps = { streams: Pick<RunStreams, "signalDaemons">; queue: Pick<RunQueue, "dispatch"> };

/** Asks a worker to take a committed run: the owner of the agent's daemon for a message, else any worker. */
export const nudgeRun = (
  { streams, queue }: Deps,
  { id, agent_id, lifecycle }: Pick<NewRun, "id" | "agent_id" | "lifecycle">,
): Promise<void> => (lifecycle === "daemon" ? streams.signalDaemons("mail", agent_id) : queue.dispatch(id));
