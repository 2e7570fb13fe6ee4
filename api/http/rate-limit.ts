import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { connectRedis } from "../../shared/platform/stream/connection.ts";

export type RateLimiter = {
  /**
   * Counts a request of `who`, or several. Rejects with too_many_requests, which says when to try again. `show` is told what is left
   * before that, if there is a limit.
   */
  count(who: string, requests?: number, show?: (left: RateLimitState) => void): Promise<void>;
  close(): void;
};

/** What is left of a caller's requests in the current minute, which ends in `reset_s` seconds. */
export type RateLimitState = { limit: number; remaining: number; reset_s: number };

type Options = { url: string; prefix: string; perMinute: number; onError: (error: Error) => void };

const noLimit: RateLimiter = { count: () => Promise.resolve(), close: () => undefined };

/**
 * Returns the headers that tell a caller what is left.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimitHeaders = ({ limit, remaining, reset_s }: RateLimitState): Record<string, string> => ({
  "RateLimit-Policy": `"minute";q=${limit};w=60`,
  RateLimit: `"minute";r=${remaining};t=${reset_s}`,
});

/** Limits each caller's requests a minute over all API processes. While Redis is unreachable, each process counts for itself. */
export function openRateLimiter({ url, prefix, perMinute, onError }: Options): RateLimiter {
  if (perMinute === 0) return noLimit;
  const redis = connectRedis(url, onError);
  const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitState => ({
    limit: perMinute,
    remaining: Math.max(0, remainingPoints),
    reset_s: Math.ceil(msBeforeNext / 1000),
  });
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
    async count(who, requests = 1, show = () => undefined) {
      try {
        show(stateOf(await limiter.consume(who, requests)));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        show(stateOf(error));
        const seconds = Math.ceil(error.msBeforeNext / 1000);
        const sentence = `This caller sent more than ${perMinute} requests within a minute. Try again later.`;
        throw new AppError("too_many_requests", "rate_limited", sentence, seconds);
      }
    },
    close: () => redis.disconnect(),
  };
}
