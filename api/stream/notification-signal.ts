import { EventEmitter, once } from "node:events";
import { withTimeLimit } from "../../shared/platform/lifecycle/with-time-limit.ts";
import type { Db } from "../../shared/store/client.ts";
import { findNewlyNotified } from "../../shared/store/notifications/find-newly-notified.ts";
import type { RedisAddress } from "../../shared/platform/config/redis-url.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { notificationsChannel } from "../../shared/platform/stream/keys.ts";

/** Postgres is polled this often, once for all readers of this process, in case Redis lost a message. */
const pollMs = 1_000;
/** While Postgres does not answer, each reader reads for itself this often. */
const maxWaitMs = 30_000;

/** Wakes the readers of notifications in this process. */
export type NotificationSignal = {
  /** Resolves when the user may have a new notification, or when `until` is aborted. Nothing that comes after the call is missed. */
  wait(userId: string, until: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export type NotificationSignalOptions = {
  db: Db;
  redisUrl: RedisAddress;
  prefix: string;
  onError: (error: Error) => void;
};

/** Wakes readers at a Redis message, which may be lost or early, and when Postgres has something new. */
export function openNotificationSignal(options: NotificationSignalOptions): NotificationSignal {
  const { db, redisUrl, prefix, onError } = options;
  const redis = connectSubscriber(redisUrl, onError);
  const emitter = new EventEmitter().setMaxListeners(0);
  // With a prefix, because an emitter treats the event name `error` specially, and a user may have that id.
  const eventOf = (userId: string): string => `of ${userId}`;
  const waitingUsers = (): string[] => emitter.eventNames().map((name) => String(name).slice(eventOf("").length));
  redis.on("message", (_channel, userId: string) => emitter.emit(eventOf(userId)));
  redis.subscribe(notificationsChannel(prefix)).catch(onError);

  /**
   * How far Postgres was readable at the last two polls. Each poll asks from the last but one on, so that a reader who
   * came during a poll is woken by the next one.
   */
  let horizons: bigint[] = [];
  async function poll(): Promise<void> {
    const users = waitingUsers();
    if (users.length === 0) horizons = [];
    if (users.length === 0) return;
    const since = horizons.at(-2);
    const { present, told } = await findNewlyNotified(db, since === undefined ? [] : users, since ?? 0n);
    horizons = [...horizons.slice(-1), present];
    for (const userId of since === undefined ? users : told) emitter.emit(eventOf(userId));
  }

  let polling: Promise<void> | null = null;
  const clock = setInterval(() => {
    polling ??= poll()
      .catch(onError)
      .finally(() => (polling = null));
  }, pollMs);
  return {
    async wait(userId, until) {
      const limit = { ms: maxWaitMs, signals: [until] };
      await withTimeLimit(limit, (signal) => once(emitter, eventOf(userId), { signal })).catch(() => undefined);
    },
    async close() {
      clearInterval(clock);
      redis.disconnect();
      await polling;
    },
  };
}
