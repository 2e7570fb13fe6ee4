import type { EventId } from "../../domain/run/event-id.ts";
import type { WorkerMessage } from "../../schemas/dispatch.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import { appendEvents } from "./append-events.ts";
import { connectRedis } from "./connection.ts";
import { daemonsChannel, newsChannel, runStream, workerChannel } from "./keys.ts";
import { readEvents } from "./read-events.ts";

/** The streams of all runs, over one connection. Every call rejects within seconds when Redis is out of reach. */
export type RunStreams = {
  /** See append-events.ts. */
  append(runId: string, events: StreamEvent[]): Promise<"written" | "fenced">;
  /** See read-events.ts. */
  read(runId: string, after: EventId): Promise<StreamEvent[]>;
  /** Tells a worker something of a run that it holds. It may be lost. */
  tellWorker(workerId: string, message: WorkerMessage): Promise<void>;
  /** Removes a run's stream. */
  forget(runId: string): Promise<void>;
  /** Tells a daemon's owner that it has mail, or to look at its row. A hint as well: both are polled. */
  tellDaemons(word: "mail" | "look", agentId: string): Promise<void>;
  /** Tells the readers of a user's notifications that there is a new one. A hint as well. */
  tellReaders(userId: string): Promise<void>;
  ping(): Promise<void>;
  close(): void;
};

export function openRunStreams(url: string, prefix: string, onError: (error: Error) => void): RunStreams {
  const redis = connectRedis(url, onError);
  return {
    append: (runId, events) => appendEvents(redis, prefix, runId, events),
    read: (runId, after) => readEvents(redis, prefix, runId, after),
    async tellWorker(workerId, message) {
      await redis.publish(workerChannel(prefix, workerId), JSON.stringify(message));
    },
    async forget(runId) {
      await redis.del(runStream(prefix, runId));
    },
    async tellDaemons(word, agentId) {
      await redis.publish(daemonsChannel(prefix), `${word} ${agentId}`);
    },
    async tellReaders(userId) {
      await redis.publish(newsChannel(prefix), userId);
    },
    async ping() {
      await redis.ping();
    },
    close: () => redis.disconnect(),
  };
}
