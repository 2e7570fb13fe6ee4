import { Redis } from "ioredis";

/**
 * A connection for commands that must fail rather than wait: no offline queue, one retry, 2 s a command. It reconnects
 * by itself. `onError` hears each fault of the connection; ioredis would print them otherwise.
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
 * A connection that listens: it waits for as long as it takes and subscribes again by itself after a cut. One that fell
 * silent without a cut would leave us deaf for good, so it is asked now and then, and given up when no answer comes.
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
