import { setMaxListeners } from "node:events";
import { Registry } from "prom-client";
import type { Config } from "../shared/platform/config/load-config.ts";
import { createJsonSchemas, type JsonSchemas } from "../shared/platform/json-schema/json-schemas.ts";
import { type Close, closeInReverse, noteIn } from "../shared/platform/lifecycle/close-in-reverse.ts";
import { shareRead } from "../shared/platform/lifecycle/share-read.ts";
import { type Log, logFaults } from "../shared/platform/log.ts";
import { followKeys } from "../shared/platform/secrets/follow-keys.ts";
import { createSourceChecker, type SourceChecker } from "../shared/platform/source-check/source-checker.ts";
import { openRunQueue, type RunQueue } from "../shared/platform/queue/run-queue.ts";
import { openTickQueue, type TickQueue } from "../shared/platform/queue/tick-queue.ts";
import { type Db, openDb } from "../shared/store/client.ts";
import { openReadReplica, type Read } from "../shared/store/read-replica.ts";
import { openRunStreams, type RunStreams } from "../shared/platform/stream/run-streams.ts";
import { addPostgresPoolMetrics } from "../shared/store/postgres-pool-metrics.ts";
import { type MaintenanceAge, readMaintenance } from "../shared/store/internal-jobs/read-maintenance.ts";
import { readPools } from "../shared/store/queues/read-pools.ts";
import { readQueues } from "../shared/store/queues/read-queues.ts";
import { countUnendedRuns } from "../shared/store/runs/read/count-unended-runs.ts";
import { type Guards, openGuards } from "./http/guards.ts";
import { type CapacityChecker, createCapacityChecker } from "../shared/services/runs/check-capacity.ts";
import { createQueueLimiter, type QueueLimiter } from "../shared/services/runs/check-queue-limits.ts";
import { internalJobs } from "../shared/services/maintenance/internal-jobs.ts";
import { createFleetView, type FleetView } from "../shared/services/runs/fleet-view.ts";
import { createVersionCache, type VersionCache } from "../shared/services/runs/version-cache.ts";
import { type NotificationSignal, openNotificationSignal } from "./stream/notification-signal.ts";
import { openRunChanges, type RunChanges } from "./stream/run-changes.ts";
import { openTailHub, type TailHub } from "./stream/tail-hub.ts";
import { type StoreWatch, watchStores } from "./stream/watch-stores.ts";
import { createHealthChecks, type HealthChecks } from "./system/health-checks.ts";

/** What the operations of this process need. */
export type ApiContext = {
  config: Config;
  log: Log;
  db: Db;
  /** For lists and analytics that may be a few seconds old. */
  read: Read;
  streams: RunStreams;
  queue: RunQueue;
  /** Delayed queue jobs that wake workers for the ticks of schedules (`/v1/jobs`). */
  ticks: TickQueue;
  hub: TailHub;
  stores: StoreWatch;
  fleet: FleetView;
  checks: HealthChecks;
  notificationSignal: NotificationSignal;
  runChanges: RunChanges;
  /** Checks users' quotas and the room in the queue. */
  capacity: CapacityChecker;
  /** The room in the queue, for runs of schedules. */
  room: QueueLimiter;
  versions: VersionCache;
  jsonSchemas: JsonSchemas;
  /** Finds syntax errors in what is published. */
  sources: SourceChecker;
  guards: Guards;
  /** How many runs have not ended, by status, at most 5 s ago. For metrics: scrapes of several collectors share a count. */
  openRuns: () => ReturnType<typeof countUnendedRuns>;
  /** The queues as Postgres knows them, at most 5 s ago. */
  queues: () => ReturnType<typeof readQueues>;
  /** The pools of workers, at most 2 s ago. */
  pools: () => ReturnType<typeof readPools>;
  /** How the fleet's maintenance does, at most 5 s ago. */
  maintenance: () => Promise<MaintenanceAge>;
  /** Metrics of this process: memory, event loop, handles. */
  processMetrics: Registry;
  /** Aborted when this process shuts down: it is no longer ready, and clients resume its streams at another process. */
  leaving: AbortSignal;
  close(): Promise<void>;
};

const periodicJobs = internalJobs.flatMap(({ name, every_ms }) => (every_ms === null ? [] : [name]));

export function createApiContext(config: Config, log: Log, leaving: AbortSignal): ApiContext {
  const opened: Close[] = [];
  // Every waiting request adds a listener.
  setMaxListeners(0, leaving);
  const track = noteIn(opened);
  const logFault = (part: string) => logFaults(log, part);
  const { encryptionKeys, encryptionKeysFile } = config;
  if (encryptionKeysFile !== undefined) track(followKeys(encryptionKeys, encryptionKeysFile, log));
  const { url, prefix } = config.redis;
  const { readUrl, poolSize, ...database } = config.database;
  const options = { ...database, role: "api" } as const;
  const db = track(openDb(database.url, poolSize, logFault("postgres"), options));
  const { read } = track(
    openReadReplica(db, { url: readUrl, poolSize, options: { ...options, urlFile: undefined }, log }),
  );
  const streams = track(openRunStreams(url, prefix, logFault("streams")));
  const queue = track(openRunQueue(url, prefix, logFault("queue")));
  const ticks = track(openTickQueue(url, prefix, logFault("ticks")));
  const hub = track(openTailHub({ url, prefix, db, streams, log }));
  const stores = track(watchStores({ db, streams, log, onCutOff: () => hub.endTails() }));
  const notificationSignal = track(
    openNotificationSignal({ db, redisUrl: url, prefix, onError: logFault("notifications") }),
  );
  const runChanges = track(openRunChanges({ db, log }));
  const fleet = createFleetView(db, config.expectedAdapters);
  const pools = shareRead(2_000, () => readPools(db));
  const room = createQueueLimiter(db, config.queue);
  const versions = createVersionCache(db);
  const guards = track(openGuards(config, db, log));
  const jsonSchemas = track(createJsonSchemas());
  const sources = track(createSourceChecker());
  const processMetrics = new Registry();
  addPostgresPoolMetrics(processMetrics, db);
  return {
    config,
    log,
    db,
    read,
    streams,
    queue,
    ticks,
    hub,
    stores,
    fleet,
    checks: createHealthChecks({ db, pools, streams, fleet }),
    notificationSignal,
    runChanges,
    capacity: createCapacityChecker(db, room),
    room,
    versions,
    jsonSchemas,
    sources,
    guards,
    openRuns: shareRead(5_000, () => countUnendedRuns(db)),
    queues: shareRead(5_000, () => readQueues(db)),
    pools,
    maintenance: shareRead(5_000, () => readMaintenance(db, periodicJobs)),
    processMetrics,
    leaving,
    close: () => closeInReverse(opened),
  };
}
