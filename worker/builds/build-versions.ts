import type { Config } from "../../shared/platform/config/load-config.ts";
import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { type Log, logFaults } from "../../shared/platform/log.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { buildsChannel } from "../../shared/platform/stream/keys.ts";
import { readConfig } from "../../shared/schemas/agent-config.ts";
import { appendBuildLog } from "../../shared/store/builds/append-build-log.ts";
import { claimBuild, type ClaimedBuild } from "../../shared/store/builds/claim-build.ts";
import { type BuildEnding, endBuild } from "../../shared/store/builds/end-build.ts";
import { giveBackBuild } from "../../shared/store/builds/give-back-build.ts";
import type { Db } from "../../shared/store/client.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { RunQueue } from "../../shared/platform/queue/run-queue.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import { nudgeRuns } from "../../shared/services/runs/nudge-run.ts";
import type { Environments } from "../environments/environments.ts";
import { buildNode, type NodeBuildDeps } from "./build-node.ts";
import { buildPython } from "./build-python.ts";
import { WorkerFault } from "../worker-fault.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type BuildDeps = {
  config: Pick<Config, "redis">;
  db: Db;
  log: Log;
  workerId: string;
  /** Null where this worker can't build Node agents. */
  nodeBuilds: NodeBuildDeps | null;
  environments: Pick<Environments, "lock">;
  queue: Pick<RunQueue, "dispatch">;
  streams: Pick<RunStreams, "signalBuilds" | "signalDaemons">;
};

const pollMs = 1_000;
/** How often a build's log is written. Each write renews its lease. */
const flushMs = 500;
const leaseMs = 15_000;
/** A worker that can't build a version leaves it to others after this time. */
const againMs = 2_000;
/** How many versions a worker builds at a time, so that a slow index doesn't hold up the others' builds. */
const atOnce = 2;

/** Builds versions: when a signal says that there is one, and each second in case the signal was lost. */
export function buildVersions(deps: BuildDeps): Loop {
  const { config, db, log, workerId: worker_id } = deps;
  const leaving = new AbortController();
  const adapters = ["python", ...(deps.nodeBuilds === null ? [] : ["node"])];
  const building = new Set<Promise<void>>();
  let taking: Promise<void> | null = null;
  let isSignalled = false;

  async function takeAll(): Promise<void> {
    while (building.size < atOnce && !leaving.signal.aborted) {
      isSignalled = false;
      const build = await claimBuild(db, { worker_id, leaseMs, adapters });
      if (build !== null) begin(build);
      else if (!isSignalled) return;
    }
  }
  function begin(build: ClaimedBuild): void {
    const one = buildOne(deps, build, leaving.signal)
      .catch((error: unknown) => log.warn({ agent_id: build.agent_id, err: errorText(error) }, "a build was left"))
      .then(() => {
        building.delete(one);
        // The next look is due anyway when this one fails.
        take().catch(() => undefined);
      });
    building.add(one);
  }
  function take(): Promise<void> {
    taking ??= takeAll().finally(() => (taking = null));
    return taking;
  }

  const redis = connectSubscriber(config.redis.url, logFaults(log, "builds"));
  redis.subscribe(buildsChannel(config.redis.prefix)).catch(() => undefined);
  redis.on("message", () => {
    isSignalled = true;
    void take().catch(() => undefined);
  });
  const loop = startLoop("build-versions", pollMs, log, take);
  return {
    async close() {
      leaving.abort();
      redis.disconnect();
      await Promise.allSettled([loop.close(), taking]);
      await Promise.all(building);
    },
  };
}

/**
 * Builds one version. A worker that leaves gives the build back, so that another one begins it anew at once. One that can't build
 * it throws: the build begins anew a little later, up to three times, and its log says why.
 */
async function buildOne(deps: BuildDeps, build: ClaimedBuild, leaving: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const lost = new AbortController();
  let pending = "";
  const flush = async (leftMs: number): Promise<void> => {
    const text = pending;
    pending = "";
    if (!(await appendBuildLog(db, build, text, leftMs))) lost.abort();
  };
  const flusher = startLoop("write-build-log", flushMs, log, () => flush(leaseMs));
  try {
    const ending = await run(deps, build, {
      signal: AbortSignal.any([leaving, lost.signal]),
      onLine: (line) => (pending += `${line.replaceAll("\0", "")}\n`),
    });
    await flusher.close();
    if (lost.signal.aborted) return;
    if (leaving.aborted) {
      await giveBackBuild(db, build);
      return await deps.streams.signalBuilds();
    }
    await untilPostgresAnswers(() => flush(leaseMs));
    void nudgeRuns(deps, await untilPostgresAnswers(() => endBuild(db, build, ending)));
    // The agent's daemon may wait for this version.
    await deps.streams.signalDaemons("look", build.agent_id).catch(() => undefined);
  } catch (error) {
    await flusher.close();
    await flush(againMs).catch(() => undefined);
    throw error;
  }
}

type Watch = { signal: AbortSignal; onLine: (line: string) => void };

async function run(deps: BuildDeps, build: ClaimedBuild, watch: Watch): Promise<BuildEnding> {
  try {
    const ending = await (build.adapter === "python"
      ? buildPython(deps.environments, build, watch)
      : buildWithNode(deps, build, watch));
    return "error" in ending ? { error: ending.error.replaceAll("\0", "").slice(0, 16_384) } : ending;
  } catch (error) {
    if (watch.signal.aborted) return { error: "The build was stopped." };
    watch.onLine(error instanceof WorkerFault ? error.message : "The worker has no sandbox for it.");
    throw error;
  }
}

async function buildWithNode({ nodeBuilds }: BuildDeps, { config }: ClaimedBuild, watch: Watch): Promise<BuildEnding> {
  if (nodeBuilds === null) throw new WorkerFault("This worker can't build Node agents.");
  return buildNode(nodeBuilds, { config: readConfig(config), ...watch });
}
