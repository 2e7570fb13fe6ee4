import type { Config } from "../../platform/config/load-config.ts";
import type { Log } from "../../platform/log.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { Db } from "../../store/client.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

/** What internal jobs work with; the context of an API process and of a worker have it. */
export type JobDeps = { config: Config; db: Db; log: Log; queue: RunQueue; streams: RunStreams };

export type JobOptions = {
  /** Changes nothing, and counts what there is to do. */
  dry_run: boolean;
  /** Between two batches it ends where it is; the next turn goes on from there. */
  signal: AbortSignal;
};

/** A chore of the service itself. Doing it twice, or leaving off anywhere, does no harm. */
export type InternalJob = {
  name: string;
  summary: string;
  /** How long after the start of its last turn some worker starts it again; null: only when it is asked for. */
  every_ms: number | null;
  /** What it did, in numbers by name. */
  run(deps: JobDeps, options: JobOptions): Promise<Record<string, number>>;
};
