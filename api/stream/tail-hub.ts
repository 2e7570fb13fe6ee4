import { type Log, logFaults } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates, type RunState } from "../../shared/store/runs/read/read-run-states.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RedisAddress } from "../../shared/platform/config/redis-url.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { parseEventLine } from "../../shared/platform/stream/event-line.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import { createBackfill, type Backfill } from "./backfill.ts";
import { createEncodeOnce, type EncodedChunk } from "./encoded-chunk.ts";
import { createRunChannels } from "./run-channels.ts";
import { Tail } from "./tail.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type TailHub = {
  /** Starts to listen to a run. The tail gets every later event, or asks its reader to resync. */
  open(runId: string): Tail;
  backfill: Backfill;
  /** Encodes a batch of events once for all readers that are handed the same array. */
  encode: (events: StreamEvent[]) => EncodedChunk;
  /** Returns the number of open tails. */
  size(): number;
  /** Ends all tails. Their readers resume at another process. */
  endTails(): void;
  /** Ends all tails, and every tail that is opened later. */
  leave(): void;
  close(): void;
};

type Options = { url: RedisAddress; prefix: string; db: Db; streams: RunStreams; log: Log };

/** The rows of all followed runs are read this often, in case Redis lost their events. */
const rowPollMs = 2_000;

/**
 * All readers of this process share one Redis connection, on which each followed run is a channel, and one query every
 * two seconds for the rows of all followed runs. So a stream ends even when Redis lost all of its events.
 */
export function openTailHub({ url, prefix, db, streams, log }: Options): TailHub {
  const redis = connectSubscriber(url, logFaults(log, "tail"));
  const tailsByRun = new Map<string, Set<Tail>>();
  const channels = createRunChannels(redis, prefix);
  let isLeaving = false;

  redis.on("message", (channel, message: string) => {
    const tails = tailsByRun.get(channels.runOf(channel));
    if (!tails) return;
    const events = message.split("\n").flatMap((line) => parseEventLine(line) ?? []);
    for (const tail of tails) tail.deliver(events);
  });
  // A new connection may have missed messages.
  redis.on("ready", () => {
    for (const tails of tailsByRun.values()) for (const tail of tails) tail.resync();
  });

  let polling = false;
  const poller = setInterval(() => {
    if (polling || tailsByRun.size === 0) return;
    polling = true;
    readRunStates(db, [...tailsByRun.keys()], null)
      .then((states) => states.forEach(updateTails))
      .catch((error: unknown) => log.warn({ err: errorText(error) }, "followed runs could not be read"))
      .finally(() => {
        polling = false;
      });
  }, rowPollMs);

  function updateTails(state: RunState): void {
    for (const tail of tailsByRun.get(state.id) ?? []) tail.seeRow(state);
  }

  function drop(tail: Tail): void {
    const tails = tailsByRun.get(tail.runId);
    if (!tails?.delete(tail) || tails.size > 0) return;
    tailsByRun.delete(tail.runId);
    channels.leave(tail.runId);
  }

  function endTails(): void {
    for (const tails of tailsByRun.values()) for (const tail of [...tails]) tail.end();
  }

  function leave(): void {
    isLeaving = true;
    endTails();
  }

  return {
    open(runId) {
      const tails = tailsByRun.get(runId) ?? new Set();
      const tail = new Tail(runId, channels.join(runId), drop);
      tails.add(tail);
      tailsByRun.set(runId, tails);
      if (isLeaving) tail.end();
      return tail;
    },
    backfill: createBackfill({ db, streams }),
    encode: createEncodeOnce(),
    size: () => [...tailsByRun.values()].reduce((sum, tails) => sum + tails.size, 0),
    endTails,
    leave,
    close() {
      leave();
      clearInterval(poller);
      channels.close();
      redis.disconnect();
    },
  };
}
