import { Redis } from "ioredis";

/**
 * Opens a connection for commands that must fail rather than wait: no offline queue, one retry, 2 s for each command. It
 * reconnects by itself. `onError` is called for each fault of the connection, which ioredis would print otherwise.
 */
export function connectRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    connectTimeout: 5_000,
    socketTimeout: 5_000,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000),
  });
  redis.on("error", onError);
  return redis;
}

const pingMs = 10_000;

/**
 * Opens a connection for subscriptions. It reconnects without a time limit and subscribes again by itself. It also pings:
 * a connection that is dead without having been closed would otherwise receive nothing for ever.
 */
export function connectSubscriber(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    autoResubscribe: true,
    socketTimeout: 15_000,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000),
  });
  const pings = setInterval(
    () => void (redis.status === "ready" && redis.ping().catch(() => undefined)),
    pingMs,
  ).unref();
  redis.once("end", () => clearInterval(pings));
  redis.on("error", onError);
  return redis;
}
