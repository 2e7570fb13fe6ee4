import type { Redis } from "ioredis";
import { runStream } from "../../shared/platform/stream/keys.ts";

/** The runs whose events one Redis connection listens to. */
export type RunChannels = {
  /** Resolves when it listens; late or never while Redis is away. */
  join(runId: string): Promise<void>;
  /** Nobody here reads this run any more. */
  leave(runId: string): void;
  runOf(channel: string): string;
  close(): void;
};

const leaveMs = 100;

/** Channels are left many at a time, a little later: a short run costs one command less. */
export function createRunChannels(redis: Redis, prefix: string): RunChannels {
  const left = new Set<string>();
  let leaving: NodeJS.Timeout | undefined;
  const channelPrefix = runStream(prefix, "");

  function leaveAll(): void {
    leaving = undefined;
    if (left.size > 0) redis.unsubscribe(...[...left].map((runId) => runStream(prefix, runId))).catch(() => undefined);
    left.clear();
  }

  return {
    join(runId) {
      left.delete(runId);
      return redis.subscribe(runStream(prefix, runId)).then(
        () => undefined,
        () => undefined,
      );
    },
    leave(runId) {
      left.add(runId);
      leaving ??= setTimeout(leaveAll, leaveMs);
    },
    runOf: (channel) => channel.slice(channelPrefix.length),
    close: () => clearTimeout(leaving),
  };
}
