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
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000),
  });
  redis.on("error", onError);
  return redis;
}

/** A connection that listens: it waits for as long as it takes and subscribes again by itself after a cut. */
export function connectSubscriber(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    autoResubscribe: true,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000),
  });
  redis.on("error", onError);
  return redis;
}
