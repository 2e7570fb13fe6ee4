import { EventEmitter, once } from "node:events";
import { withTimeLimit } from "../../shared/lifecycle/with-time-limit.ts";
import { connectSubscriber } from "../../shared/stream/connection.ts";
import { newsChannel } from "../../shared/stream/keys.ts";

/** Tells this process' readers of notifications when to look, over one Redis connection for all of them. */
export type NewsBell = {
  /** Resolves when the user may have something new, after `patienceMs` at the latest, or when `until` is aborted. */
  rung(userId: string, patienceMs: number, until: AbortSignal): Promise<void>;
  close(): void;
};

export function openNewsBell(url: string, prefix: string, onError: (error: Error) => void): NewsBell {
  const redis = connectSubscriber(url, onError);
  const rings = new EventEmitter().setMaxListeners(0);
  // With a prefix, since an emitter has its own idea of a user called `error`.
  const ringOf = (userId: string): string => `of ${userId}`;
  redis.on("message", (_channel, userId: string) => rings.emit(ringOf(userId)));
  redis.subscribe(newsChannel(prefix)).catch(onError);
  return {
    async rung(userId, patienceMs, until) {
      const limit = { ms: patienceMs, signals: [until] };
      await withTimeLimit(limit, (signal) => once(rings, ringOf(userId), { signal })).catch(() => undefined);
    },
    close: () => redis.disconnect(),
  };
}
