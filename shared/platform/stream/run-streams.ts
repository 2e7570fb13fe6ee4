import { Cluster } from "ioredis";
import { type EventId, formatEventId } from "../../domain/run/event-id.ts";
import type { WorkerMessage } from "../../schemas/dispatch.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import type { RedisAddress } from "../config/redis-url.ts";
import { appendEvents } from "./append-events.ts";
import { connectRedis } from "./connection.ts";
import { buildsChannel, daemonsChannel, notificationsChannel, runStream, workerChannel } from "./keys.ts";
import { readEvents } from "./read-events.ts";

/** The streams of all runs, and signals, over one connection. Every call rejects within seconds when Redis is out of reach. */
export type RunStreams = {
  /** See append-events.ts. */
  append(runId: string, events: StreamEvent[]): Promise<"written" | "fenced">;
  /** See read-events.ts. */
  read(runId: string, after: EventId): Promise<StreamEvent[]>;
  /** Sends a worker a message about one of its runs. The message may be lost. Returns whether it listens; null: a cluster can't tell. */
  signalWorker(workerId: string, message: WorkerMessage): Promise<boolean | null>;
  /** Returns how many API processes have readers of a run. */
  countReaders(runId: string): Promise<number>;
  /** Removes what comes before `first` from a run's stream, and may leave a little of it. Its readers find it in the transcript. */
  trim(runId: string, first: EventId): Promise<void>;
  /** Removes a run's stream. */
  forget(runId: string): Promise<void>;
  /** Signals a daemon's owner: `mail` for a new message, `look` for a change of its row. May be lost: the owner polls both. */
  signalDaemons(word: "mail" | "look", agentId: string): Promise<void>;
  /** Signals workers that there is a version to build. May be lost: they poll. */
  signalBuilds(): Promise<void>;
  /** Signals the readers of a user's notifications that there is a new one. May be lost: they poll. */
  signalReaders(userId: string): Promise<void>;
  ping(): Promise<void>;
  close(): void;
};

export function openRunStreams(url: RedisAddress, prefix: string, onError: (error: Error) => void): RunStreams {
  const redis = connectRedis(url, onError);
  return {
    append: (runId, events) => appendEvents(redis, prefix, runId, events),
    read: (runId, after) => readEvents(redis, prefix, runId, after),
    async signalWorker(workerId, message) {
      const heard = await redis.publish(workerChannel(prefix, workerId), JSON.stringify(message));
      // Each node of a cluster counts its own subscribers only.
      return redis instanceof Cluster ? null : heard > 0;
    },
    async countReaders(runId) {
      // Each node of a cluster counts its own subscribers only.
      const nodes = redis instanceof Cluster ? redis.nodes("all") : [redis];
      const counts = await Promise.all(nodes.map((node) => node.pubsub("NUMSUB", runStream(prefix, runId))));
      return counts.reduce((sum, [, readers]) => sum + Number(readers), 0);
    },
    async trim(runId, first) {
      await redis.xtrim(runStream(prefix, runId), "MINID", "~", formatEventId(first));
    },
    async forget(runId) {
      await redis.del(runStream(prefix, runId));
    },
    async signalDaemons(word, agentId) {
      await redis.publish(daemonsChannel(prefix), `${word} ${agentId}`);
    },
    async signalBuilds() {
      await redis.publish(buildsChannel(prefix), "");
    },
    async signalReaders(userId) {
      await redis.publish(notificationsChannel(prefix), userId);
    },
    async ping() {
      await redis.ping();
    },
    close: () => redis.disconnect(),
  };
}
