import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { connectRedis } from "../../shared/platform/stream/connection.ts";

export type RateLimiter = {
  /** Counts a request of `who`, or several. Rejects with too_many_requests, which says when to try again. */
  count(who: string, requests?: number): Promise<void>;
  close(): void;
};

type Options = { url: string; prefix: string; perMinute: number; onError: (error: Error) => void };

const noLimit: RateLimiter = { count: () => Promise.resolve(), close: () => undefined };

/** Limits each caller's requests a minute over all API processes. While Redis is unreachable, each process counts for itself. */
export function openRateLimiter({ url, prefix, perMinute, onError }: Options): RateLimiter {
  if (perMinute === 0) return noLimit;
  const redis = connectRedis(url, onError);
  const rule = { points: perMinute, duration: 60 };
  const limiter = new RateLimiterRedis({
    ...rule,
    storeClient: redis,
    keyPrefix: `${prefix}rate`,
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: perMinute + 1,
    insuranceLimiter: new RateLimiterMemory(rule),
  });
  return {
    async count(who, requests = 1) {
      try {
        await limiter.consume(who, requests);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const seconds = Math.ceil(error.msBeforeNext / 1000);
        const sentence = `This caller sent more than ${perMinute} requests within a minute. Try again later.`;
        throw new AppError("too_many_requests", "rate_limited", sentence, seconds);
      }
    },
    close: () => redis.disconnect(),
  };
}
