import type { Log } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates, type RunState } from "../../shared/store/runs/read-run-states.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { parseEventLine } from "../../shared/platform/stream/event-line.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import { createFillIn, type FillIn } from "./fill-in.ts";
import { createEncodeOnce, type Piece } from "./piece.ts";
import { createRunChannels } from "./run-channels.ts";
import { Tail } from "./tail.ts";

export type TailHub = {
  /** Starts to listen to a run. Events that come from then on are in the tail, or the tail asks its reader to resync. */
  open(runId: string): Tail;
  fillIn: FillIn;
  /** Events as they are sent: encoded once for all readers who are handed the same batch. */
  encode: (events: StreamEvent[]) => Piece;
  /** How many tails are open. */
  size(): number;
  /** Ends every tail, and each that is opened from now on; their readers resume elsewhere. */
  leave(): void;
  close(): void;
};

type Options = { url: string; prefix: string; db: Db; streams: RunStreams; log: Log };

/** Every run's row is looked at this often while somebody reads it: what Redis lost, Postgres tells. */
const rowPollMs = 2_000;

/**
 * One listening Redis connection for all readers of this process, however many: each followed run is a channel on it.
 * And one query every two seconds for the rows of all followed runs, so that a stream ends even when Redis lost all.
 */
export function openTailHub({ url, prefix, db, streams, log }: Options): TailHub {
  const redis = connectSubscriber(url, (error) => log.warn({ part: "tail", err: error.message }, "connection fault"));
  const tailsByRun = new Map<string, Set<Tail>>();
  const channels = createRunChannels(redis, prefix);
  let left = false;

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
      .then((states) => states.forEach(tellRow))
      .catch((error: unknown) => log.warn({ err: String(error) }, "followed runs could not be read"))
      .finally(() => {
        polling = false;
      });
  }, rowPollMs);

  function tellRow(state: RunState): void {
    for (const tail of tailsByRun.get(state.id) ?? []) tail.seeRow(state);
  }

  function drop(tail: Tail): void {
    const tails = tailsByRun.get(tail.runId);
    if (!tails?.delete(tail) || tails.size > 0) return;
    tailsByRun.delete(tail.runId);
    channels.leave(tail.runId);
  }

  function leave(): void {
    left = true;
    for (const tails of tailsByRun.values()) for (const tail of [...tails]) tail.end();
  }

  return {
    open(runId) {
      const tails = tailsByRun.get(runId) ?? new Set();
      const tail = new Tail(runId, channels.join(runId), drop);
      tails.add(tail);
      tailsByRun.set(runId, tails);
      if (left) tail.end();
      return tail;
    },
    fillIn: createFillIn({ db, streams }),
    encode: createEncodeOnce(),
    size: () => [...tailsByRun.values()].reduce((sum, tails) => sum + tails.size, 0),
    leave,
    close() {
      leave();
      clearInterval(poller);
      channels.close();
      redis.disconnect();
    },
  };
}
