import type { Config } from "../../platform/config/load-config.ts";
import type { Log } from "../../platform/log.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { Db } from "../../store/client.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

/** What internal jobs need. The contexts of API processes and of workers have it. */
export type JobDeps = { config: Config; db: Db; log: Log; queue: RunQueue; streams: RunStreams };

export type JobOptions = {
  /** True: the job changes nothing and counts what it would change. */
  dry_run: boolean;
  /** When it is aborted, the job stops after the current batch. Its next run continues there. */
  signal: AbortSignal;
};

/** A maintenance job of the service itself. It may run twice, and may stop anywhere. */
export type InternalJob = {
  name: string;
  summary: string;
  /** A worker starts the job again this long after its last start. Null: it is started only by request. */
  every_ms: number | null;
  /** Returns what it did: numbers by name. */
  run(deps: JobDeps, options: JobOptions): Promise<Record<string, number>>;
};
