import type { RedisClient } from "../../shared/platform/stream/connection.ts";
import { runStream } from "../../shared/platform/stream/keys.ts";

/** The channels of runs on one Redis connection. */
export type RunChannels = {
  /** Resolves when the channel is subscribed; late or never while Redis is unreachable. */
  join(runId: string): Promise<void>;
  /** Call it when no reader of this process follows the run any more. */
  leave(runId: string): void;
  runOf(channel: string): string;
  close(): void;
};

const leaveMs = 100;

/** Unsubscribes from many channels with one command, a little later: a short run costs one command less. */
export function createRunChannels(redis: RedisClient, prefix: string): RunChannels {
  const unused = new Set<string>();
  let leaving: NodeJS.Timeout | undefined;
  const channelPrefix = runStream(prefix, "");

  function leaveAll(): void {
    leaving = undefined;
    if (unused.size > 0)
      redis.unsubscribe(...[...unused].map((runId) => runStream(prefix, runId))).catch(() => undefined);
    unused.clear();
  }

  return {
    join(runId) {
      unused.delete(runId);
      return redis.subscribe(runStream(prefix, runId)).then(
        () => undefined,
        () => undefined,
      );
    },
    leave(runId) {
      unused.add(runId);
      leaving ??= setTimeout(leaveAll, leaveMs);
    },
    runOf: (channel) => channel.slice(channelPrefix.length),
    close: () => clearTimeout(leaving),
  };
}
