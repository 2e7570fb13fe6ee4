import type { Config } from "../shared/platform/config/load-config.ts";
import { newId } from "../shared/platform/ids.ts";
import { createJsonSchemas, type JsonSchemas } from "../shared/platform/json-schema/json-schemas.ts";
import { type Close, closeInReverse, noteIn } from "../shared/platform/lifecycle/close-in-reverse.ts";
import { type Log, logFaults } from "../shared/platform/log.ts";
import type { Tracing } from "../shared/platform/tracing/open-tracing.ts";
import { openRunQueue, type RunQueue } from "../shared/platform/queue/run-queue.ts";
import { openTickQueue, type TickQueue } from "../shared/platform/queue/tick-queue.ts";
import { createQueueLimiter, type QueueLimiter } from "../shared/services/runs/check-queue-limits.ts";
import type { ClaimingWorker } from "../shared/store/runs/queue/claim-run.ts";
import { readClock } from "../shared/store/read-clock.ts";
import { readRun } from "../shared/store/runs/read/read-run.ts";
import { type Db, openDb } from "../shared/store/client.ts";
import { followKeys } from "../shared/platform/secrets/follow-keys.ts";
import { openRunStreams, type RunStreams } from "../shared/platform/stream/run-streams.ts";
import { readPrices } from "./calls/read-prices.ts";
import type { CallDeps } from "./calls/run-calls.ts";
import { createRemainingSpend } from "./calls/remaining-spend.ts";
import { createThrottles } from "./calls/throttles.ts";
import type { Adapter } from "./adapters/adapter.ts";
import type { Attempt } from "./attempt/attempt.ts";
import type { NodeBuildDeps } from "./builds/build-node.ts";
import { findBundler } from "./builds/find-bundler.ts";
import type { NodeRuntime } from "./adapters/node/node-command.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { type Adapters, openAdapters } from "./adapters/registry.ts";
import { type InteractiveProcesses, openInteractiveProcesses } from "./interactive/interactive-processes.ts";
import { createReusedProcesses, mayReuse } from "./interactive/reused-processes.ts";
import { createIdleCache } from "./warm/idle-cache.ts";
import type { DaemonHost } from "./daemons/daemon-host.ts";
import { createDaemonHosts } from "./daemons/open-hosts.ts";
import { type OutboxDrain, startOutboxDrain } from "./callbacks/drain-outbox.ts";
import type { Environments } from "./environments/environments.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./lease/hold-leases.ts";
import { createMemoryBudget, type MemoryBudget } from "./lease/memory-budget.ts";
import { createPostgresClock, type PostgresClock } from "./lease/postgres-clock.ts";
import { readSigningSecrets } from "../shared/store/users/signing-secrets.ts";
import type { Machine } from "./machine.ts";
import type { ProvenSandbox } from "./sandbox/pick-level.ts";
import { createTranscriptCompactor, type TranscriptCompactor } from "./output/compact-transcripts.ts";
import { createLoopShares } from "./output/share-event-loop.ts";
import type { Journal } from "./journal/journal.ts";
import type { RunOutput } from "./output/run-output.ts";
import { createWorkerMetrics, type WorkerMetrics } from "./metrics/worker-metrics.ts";
import { type AttemptSpans, createAttemptSpans } from "./traces/attempt-spans.ts";
import { type ConfigView, createConfigView } from "./prepare/config-view.ts";

/** What a worker's parts work with. */
export type WorkerContext = {
  config: Config;
  log: Log;
  workerId: string;
  /** What this worker's claims say of it. */
  card: ClaimingWorker;
  db: Db;
  streams: RunStreams;
  queue: RunQueue;
  /** Delayed nudges for the ticks of schedules. */
  ticks: TickQueue;
  leases: LeaseKeeper;
  clock: PostgresClock;
  metrics: WorkerMetrics;
  /** The spans of attempts; null without tracing. */
  spans: AttemptSpans | null;
  memory: MemoryBudget;
  sandbox: ProvenSandbox;
  adapters: Adapters["byType"];
  jsonSchemas: JsonSchemas;
  /** The room in the queue, for runs of schedules. */
  room: QueueLimiter;
  configs: ConfigView;
  /** The processes of threads. */
  interactive: InteractiveProcesses;
  /** What runs an attempt's agent; null where this worker has no such adapter. */
  adapterFor(attempt: Attempt): Adapter | null;
  /** What starts daemons and interactive processes, by adapter_type. */
  daemonHosts: ReadonlyMap<string, DaemonHost>;
  outbox: OutboxDrain;
  compactor: TranscriptCompactor;
  /** Installed packages. */
  environments: Environments;
  /** What builds Node agents; null where this worker can't. */
  nodeBuilds: NodeBuildDeps | null;
  /** The outputs of runs that execute here, by run id. */
  outputs: Map<string, RunOutput>;
  /** What calls to connections cost, and what bounds them. */
  calls: Omit<CallDeps, "db">;
  /** The journals of runs that execute here, by run id. */
  journals: Map<string, Pick<Journal, "look" | "drain">>;
  /** Shares the event loop among the runs that execute here. */
  loopShares: ReturnType<typeof createLoopShares>;
  /** Asks some worker of the same pool to claim a run. Never rejects: the poll finds runs whose nudge was lost. */
  nudge(runId: string, queuedAt?: number): Promise<void>;
  close(): Promise<void>;
};

/** Opens everything that a worker has beside its machine. `close` leaves the machine open. */
export async function createWorkerContext(
  config: Config,
  log: Log,
  { machine, tracing }: { machine: Machine; tracing: Tracing | null },
): Promise<WorkerContext> {
  const opened: Close[] = [];
  const opens = noteIn(opened);
  const { sandbox, python, node, containers, environments } = machine;
  const { db, streams, queue, ticks } = connect(config, log);
  for (const part of [db, streams, queue, ticks]) opens(part);
  const idle = opens(createIdleCache(config.worker.warmMemoryBytes));
  const adapters = opens(
    await openAdapters({
      sandbox,
      python,
      node,
      environments,
      idle,
      containers,
      http: {
        allowCidrs: config.callbacks.allowCidrs,
        secretsOf: (userId) => readSigningSecrets(db, config.encryptionKeys, userId),
        now: () => readClock(db),
      },
    }),
  );
  const metrics = createWorkerMetrics([...adapters.byType.keys()]);
  const { encryptionKeys: keyRing, encryptionKeysFile } = config;
  if (encryptionKeysFile !== undefined) opens(followKeys(keyRing, encryptionKeysFile, log));
  const readAnyRun = (id: string) => readRun(db, id, null);
  const onNotified = (userId: string) => void streams.signalReaders(userId).catch(() => undefined);
  const outbox = opens(
    startOutboxDrain({
      ...{ db, keyRing, log, ...config.callbacks, readRun: readAnyRun, onNotified, tracing },
      onTried: (tried) => metrics.delivered(tried),
    }),
  );
  const daemonHosts = createDaemonHosts({ sandbox, python, node });
  const { leaseMs, slots } = config.worker;
  const workerId = newId("worker");
  const card = {
    id: workerId,
    leaseMs,
    sandbox: sandbox.report,
    adapters: [...adapters.byType.keys()],
    pool: config.worker.pool,
  };
  const reused = createReusedProcesses({ hosts: daemonHosts, environments, idle });
  const interactive = opens(openInteractiveProcesses({ db, log, card, hosts: daemonHosts, environments, slots }));
  return {
    config,
    log,
    workerId,
    card,
    db,
    streams,
    queue,
    ticks,
    leases: opens(createLeaseKeeper(db, leaseMs, log)),
    clock: createPostgresClock(),
    metrics,
    spans: tracing && createAttemptSpans(tracing),
    memory: createMemoryBudget(config.worker.memoryBytes),
    sandbox,
    adapters: adapters.byType,
    jsonSchemas: opens(createJsonSchemas()),
    room: createQueueLimiter(db, config.queue),
    configs: createConfigView(db),
    interactive,
    adapterFor: (attempt) => {
      const { lifecycle, adapter_type } = attempt;
      if (lifecycle === "interactive") return interactive.adapters.get(adapter_type) ?? null;
      return (mayReuse(attempt) && reused.get(adapter_type)) || (adapters.byType.get(adapter_type) ?? null);
    },
    daemonHosts,
    environments,
    nodeBuilds: nodeBuildsOf(config, sandbox, node),
    outbox,
    compactor: createTranscriptCompactor(db),
    outputs: new Map(),
    calls: {
      prices: await readPrices(config.modelPrices),
      rooms: createRemainingSpend(db),
      throttles: createThrottles(),
    },
    journals: new Map(),
    loopShares: createLoopShares(),
    nudge: (runId, queuedAt) => queue.dispatch(runId, card.pool, queuedAt).catch(() => undefined),
    close: () => closeInReverse(opened),
  };
}

function nodeBuildsOf(config: Config, sandbox: Sandbox, node: NodeRuntime | null): NodeBuildDeps | null {
  const { installer } = config;
  const bundler = node && findBundler(installer.directory, config.sandbox.searchPath);
  return node && bundler && { sandbox, node: node.path, bundler, installer };
}

function connect({ database, redis }: Config, log: Log): Pick<WorkerContext, "db" | "streams" | "queue" | "ticks"> {
  const quiet = (part: string) => logFaults(log, part);
  return {
    db: openDb(database.url, database.poolSize, quiet("postgres"), { ...database, role: "worker" }),
    streams: openRunStreams(redis.url, redis.prefix, quiet("streams")),
    queue: openRunQueue(redis.url, redis.prefix, quiet("queue")),
    ticks: openTickQueue(redis.url, redis.prefix, quiet("ticks")),
  };
}
