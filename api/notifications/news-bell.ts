import { EventEmitter, once } from "node:events";
import { withTimeLimit } from "../../shared/platform/lifecycle/with-time-limit.ts";
import type { Db } from "../../shared/store/client.ts";
import { findNewlyNotified } from "../../shared/store/notifications/find-newly-notified.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { notificationsChannel } from "../../shared/platform/stream/keys.ts";

/** Without a nudge it is looked this often, once for all readers of this process. */
const lookMs = 1_000;
/** For as long as Postgres doesn't answer, each reader looks by himself this often. */
const patienceMs = 30_000;

/** Tells this process' readers of notifications when to look. */
export type NewsBell = {
  /** Resolves when the user may have something new, or when `until` is aborted. What comes after the call isn't missed. */
  rung(userId: string, until: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export type NewsBellOptions = { db: Db; redisUrl: string; prefix: string; onError: (error: Error) => void };

/** Rings at Redis' nudge, which may be lost or too early, and when Postgres shows something new. */
export function openNewsBell({ db, redisUrl, prefix, onError }: NewsBellOptions): NewsBell {
  const redis = connectSubscriber(redisUrl, onError);
  const rings = new EventEmitter().setMaxListeners(0);
  // With a prefix, since an emitter has its own idea of a user called `error`.
  const ringOf = (userId: string): string => `of ${userId}`;
  const listening = (): string[] => rings.eventNames().map((name) => String(name).slice(ringOf("").length));
  redis.on("message", (_channel, userId: string) => rings.emit(ringOf(userId)));
  redis.subscribe(notificationsChannel(prefix)).catch(onError);

  /** What was readable at the last looks. Behind the last but one: whoever came during a look is rung by the next one. */
  let looks: bigint[] = [];
  async function look(): Promise<void> {
    const users = listening();
    if (users.length === 0) looks = [];
    if (users.length === 0) return;
    const since = looks.at(-2);
    const { present, told } = await findNewlyNotified(db, since === undefined ? [] : users, since ?? 0n);
    looks = [...looks.slice(-1), present];
    for (const userId of since === undefined ? users : told) rings.emit(ringOf(userId));
  }

  let looking: Promise<void> | null = null;
  const clock = setInterval(() => {
    looking ??= look()
      .catch(onError)
      .finally(() => (looking = null));
  }, lookMs);
  return {
    async rung(userId, until) {
      const limit = { ms: patienceMs, signals: [until] };
      await withTimeLimit(limit, (signal) => once(rings, ringOf(userId), { signal })).catch(() => undefined);
    },
    async close() {
      clearInterval(clock);
      redis.disconnect();
      await looking;
    },
  };
}
