import type { Config } from "../shared/config/load-config.ts";
import { newId } from "../shared/ids.ts";
import { createJsonSchemas, type JsonSchemas } from "../shared/json-schema.ts";
import { type Close, closeInReverse } from "../shared/lifecycle/close-in-reverse.ts";
import type { Log } from "../shared/log.ts";
import { openRunQueue, type RunQueue } from "../shared/queue/run-queue.ts";
import type { ClaimingWorker } from "../shared/store/runs/claim-run.ts";
import { readRun } from "../shared/store/runs/read-run.ts";
import { type Db, openDb } from "../shared/store/client.ts";
import { openRunStreams, type RunStreams } from "../shared/stream/run-streams.ts";
import { type Adapters, openAdapters, pythonTypes } from "./adapters/registry.ts";
import type { DaemonHost } from "./daemons/daemon-host.ts";
import { createPythonHost } from "./daemons/python-host.ts";
import { type OutboxDrain, startOutboxDrain } from "./callbacks/drain-outbox.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./lease/hold-leases.ts";
import { readSigningSecrets } from "../shared/store/users/signing-secrets.ts";
import { findContainerEngine } from "./sandbox/container-engine.ts";
import { openEnvironments } from "./sandbox/environments.ts";
import { findPython } from "./sandbox/find-python.ts";
import { openSandbox } from "./sandbox/pick-level.ts";
import type { RunOutput } from "./output/run-output.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** What a worker's parts work with. */
export type WorkerContext = {
  config: Config;
  log: Log;
  workerId: string;
  /** As it signs its claims. */
  card: ClaimingWorker;
  db: Db;
  streams: RunStreams;
  queue: RunQueue;
  leases: LeaseKeeper;
  sandbox: Sandbox;
  adapters: Adapters["byType"];
  jsonSchemas: JsonSchemas;
  /** Who can start a daemon, by adapter_type. */
  daemonHosts: ReadonlyMap<string, DaemonHost>;
  outbox: OutboxDrain;
  /** Of the runs that are under way here, by run id. */
  outputs: Map<string, RunOutput>;
  /** Asks some worker to claim a run. Never rejects: a lost nudge is found by the poll. */
  nudge(runId: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens everything, the sandbox first: a worker that can't isolate must not register. */
export async function createWorkerContext(config: Config, log: Log): Promise<WorkerContext> {
  const opened: Close[] = [];
  const opens = <T extends { close(): Promise<void> | void }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  const quiet = (part: string) => (error: Error) => log.warn({ part, err: error.message }, "connection fault");

  const { minLevel, bwrap, searchPath } = config.sandbox;
  const python = await findPython(config.sandbox.python, searchPath);
  const sandbox = opens(await openSandbox({ minLevel, bwrap, searchPath, python, log }));
  const db = opens(openDb(config.database.url, config.database.poolSize, quiet("postgres")));
  const adapters = opens(
    await openAdapters({
      sandbox,
      python,
      environments: openEnvironments({ python, ...config.installer }),
      warmMemoryBytes: config.worker.warmMemoryBytes,
      containers: await findContainerEngine(searchPath),
      http: {
        allowCidrs: config.callbacks.allowCidrs,
        secretsOf: (userId) => readSigningSecrets(db, config.encryptionKeys, userId),
      },
      log,
    }),
  );
  const streams = opens(openRunStreams(config.redis.url, config.redis.prefix, quiet("streams")));
  const queue = opens(openRunQueue(config.redis.url, config.redis.prefix, quiet("queue")));
  const outbox = opens(
    startOutboxDrain({
      db,
      keyRing: config.encryptionKeys,
      log,
      ...config.callbacks,
      readRun: (id) => readRun(db, id, null),
      onTold: (userId) => void streams.tellReaders(userId).catch(() => undefined),
    }),
  );
  const pythonHost = createPythonHost(sandbox, python);
  const leases = opens(createLeaseKeeper(db, config.worker.leaseMs, log));
  const workerId = newId("worker");
  return {
    config,
    log,
    workerId,
    card: { id: workerId, leaseMs: config.worker.leaseMs, sandbox: sandbox.report },
    db,
    streams,
    queue,
    leases,
    sandbox,
    adapters: adapters.byType,
    jsonSchemas: createJsonSchemas(),
    daemonHosts: new Map(pythonTypes.map((type) => [type, pythonHost])),
    outbox,
    outputs: new Map(),
    nudge: (runId) => queue.dispatch(runId).catch(() => undefined),
    close: () => closeInReverse(opened),
  };
}
