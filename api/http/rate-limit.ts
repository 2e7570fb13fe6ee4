import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import type { RedisAddress } from "../../shared/platform/config/redis-url.ts";
import { connectRedis } from "../../shared/platform/stream/connection.ts";

export type RateLimiter = {
  /**
   * Counts a request of `who`, or several, against a limit: the deployment's, unless `perMinute` says another. Rejects with
   * too_many_requests, which says when to try again. `show` is told what is left before that, if there is a limit.
   * A request that weighs more than the limit takes a whole minute: else it could never be sent. `counted`: as how many it was
   * counted before.
   */
  count(who: string, counted?: CountOptions): Promise<void>;
  close(): void;
};

type CountOptions = { requests?: number; counted?: number; perMinute?: number; show?: (left: RateLimitState) => void };

/** What is left of a caller's requests in the current minute, which ends in `reset_s` seconds. */
export type RateLimitState = { limit: number; remaining: number; reset_s: number };

/** `perMinute`: the deployment's limit; 0: none. */
type Options = { url: RedisAddress; prefix: string; perMinute: number; onError: (error: Error) => void };

/** Limits of plans and keys are few. Beyond this number they are opened anew. */
const mostLimiters = 1_000;

/**
 * Returns the headers that tell a caller what is left.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimitHeaders = ({ limit, remaining, reset_s }: RateLimitState): Record<string, string> => ({
  "RateLimit-Policy": `"minute";q=${limit};w=60`,
  RateLimit: `"minute";r=${remaining};t=${reset_s}`,
});

const stateOf = (limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitState => ({
  limit,
  remaining: Math.max(0, remainingPoints),
  reset_s: Math.ceil(msBeforeNext / 1000),
});

/** Limits each caller's requests a minute over all API processes. While Redis is unreachable, each process counts for itself. */
export function openRateLimiter({ url, prefix, perMinute: usual, onError }: Options): RateLimiter {
  const limiters = new Map<number, RateLimiterRedis>();
  // Without any limit no connection is needed.
  let redis: ReturnType<typeof connectRedis> | undefined;

  function limiterOf(perMinute: number): RateLimiterRedis {
    const known = limiters.get(perMinute);
    if (known) return known;
    redis ??= connectRedis(url, onError);
    const rule = { points: perMinute, duration: 60 };
    const limiter = new RateLimiterRedis({
      ...rule,
      storeClient: redis,
      keyPrefix: `${prefix}rate`,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: perMinute + 1,
      insuranceLimiter: new RateLimiterMemory(rule),
    });
    if (limiters.size >= mostLimiters) limiters.clear();
    limiters.set(perMinute, limiter);
    return limiter;
  }
  if (usual > 0) limiterOf(usual);

  return {
    async count(who, { requests = 1, counted = 0, perMinute = usual, show = () => undefined } = {}) {
      const points = Math.min(requests, perMinute - counted);
      if (points <= 0) return;
      try {
        show(stateOf(perMinute, await limiterOf(perMinute).consume(who, points)));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        show(stateOf(perMinute, error));
        const seconds = Math.ceil(error.msBeforeNext / 1000);
        const sentence = `This caller sent more than ${perMinute} requests within a minute. Try again later.`;
        throw new AppError("too_many_requests", "rate_limited", sentence, seconds);
      }
    },
    close: () => redis?.disconnect(),
  };
}
