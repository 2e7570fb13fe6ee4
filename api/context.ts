import { setMaxListeners } from "node:events";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "../shared/platform/config/load-config.ts";
import { createJsonSchemas, type JsonSchemas } from "../shared/platform/json-schema/json-schemas.ts";
import { type Close, closeInReverse } from "../shared/platform/lifecycle/close-in-reverse.ts";
import type { Log } from "../shared/platform/log.ts";
import { openRunQueue, type RunQueue } from "../shared/platform/queue/run-queue.ts";
import { openTickQueue, type TickQueue } from "../shared/platform/queue/tick-queue.ts";
import { type Db, openDb } from "../shared/store/client.ts";
import { openRunStreams, type RunStreams } from "../shared/platform/stream/run-streams.ts";
import { type Guards, openGuards } from "./http/guards.ts";
import { type Admission, createAdmission } from "./execute/admission.ts";
import { createFleetView, type FleetView } from "./execute/fleet-view.ts";
import { createVersionView, type VersionView } from "./execute/version-view.ts";
import { type NewsBell, openNewsBell } from "./notifications/news-bell.ts";
import { openTailHub, type TailHub } from "./stream/tail-hub.ts";

/** What operations work with. */
export type ApiContext = {
  config: Config;
  log: Log;
  db: Db;
  streams: RunStreams;
  queue: RunQueue;
  /** Wakes workers for the ticks of jobs. */
  ticks: TickQueue;
  hub: TailHub;
  fleet: FleetView;
  news: NewsBell;
  admission: Admission;
  versions: VersionView;
  jsonSchemas: JsonSchemas;
  guards: Guards;
  /** Memory, event loop, handles of this process. */
  processMetrics: Registry;
  /** Aborted when this process goes: it is no longer ready, and its streams end, to be resumed elsewhere. */
  leaving: AbortSignal;
  close(): Promise<void>;
};

export function createApiContext(config: Config, log: Log, leaving: AbortSignal): ApiContext {
  const opened: Close[] = [];
  // Every request that waits for something listens to it.
  setMaxListeners(0, leaving);
  const opens = <T extends { close(): Promise<void> | void }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  const quiet = (part: string) => (error: Error) => log.warn({ part, err: error.message }, "connection fault");
  const { url, prefix } = config.redis;
  const db = opens(openDb(config.database.url, config.database.poolSize, quiet("postgres")));
  const streams = opens(openRunStreams(url, prefix, quiet("streams")));
  const queue = opens(openRunQueue(url, prefix, quiet("queue")));
  const ticks = opens(openTickQueue(url, prefix, quiet("ticks")));
  const hub = opens(openTailHub({ url, prefix, db, streams, log }));
  const news = opens(openNewsBell({ db, redisUrl: url, prefix, onError: quiet("news") }));
  const fleet = createFleetView(db);
  const admission = createAdmission(db, config.queue);
  const versions = createVersionView(db);
  const guards = opens(openGuards(config, db, log));
  const jsonSchemas = opens(createJsonSchemas());
  const processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  return {
    config,
    log,
    db,
    streams,
    queue,
    ticks,
    hub,
    fleet,
    news,
    admission,
    versions,
    jsonSchemas,
    guards,
    processMetrics,
    leaving,
    close: () => closeInReverse(opened),
  };
}
