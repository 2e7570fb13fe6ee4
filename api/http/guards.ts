import type { Config } from "../../shared/platform/config/load-config.ts";
import { type Log, logFaults } from "../../shared/platform/log.ts";
import { type Act, appendAudit } from "../../shared/store/append-audit.ts";
import type { Db } from "../../shared/store/client.ts";
import { type BodyBudget, createBodyBudget } from "./body-budget.ts";
import { type IdempotentResponse, createIdempotentResponse } from "./idempotent-response.ts";
import { createStreamCounter, type StreamCounter } from "./count-streams.ts";
import { type Authenticate, createAuthenticate } from "./authenticate.ts";
import { openRateLimiter, type RateLimiter } from "./rate-limit.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** What checks and records requests before and after operations. */
export type Guards = {
  authenticate: Authenticate;
  limiter: Pick<RateLimiter, "count">;
  streams: StreamCounter;
  answerOnce: IdempotentResponse;
  /** Bounds what is in memory of bodies that nobody has signed yet, and of those that came with a key and aren't read yet. */
  bodies: { unsigned: BodyBudget; keyed: BodyBudget };
  /** Records a finished act in the audit log. Never rejects, because the act can't be undone. */
  audit(act: Act): Promise<void>;
  close(): void;
};

const MiB = 1024 * 1024;
/** Bodies of requests without a key: of all, and from one address. */
const unsignedBodies = { all: 64 * MiB, each: 16 * MiB };
/** Of requests with a key, until they are read: of all, and of one user or address. */
const keyedBodies = { all: 512 * MiB, each: 128 * MiB };

export function openGuards(config: Config, db: Db, log: Log): Guards {
  const onError = logFaults(log, "rate-limit");
  const limiter = openRateLimiter({ ...config.redis, perMinute: config.auth.requestsPerMinute, onError });
  return {
    authenticate: createAuthenticate({ db, auth: config.auth, log }),
    limiter,
    streams: createStreamCounter(config.auth.streams),
    answerOnce: createIdempotentResponse(db, config.encryptionKeys),
    bodies: {
      unsigned: createBodyBudget(unsignedBodies, "without a key"),
      keyed: createBodyBudget(keyedBodies, "of this caller"),
    },
    audit: (act) =>
      appendAudit(db, act).catch((error: unknown) =>
        log.error(
          { action: act.action, target_id: act.target_id, err: errorText(error) },
          "an act could not be written to the audit log",
        ),
      ),
    close: () => limiter.close(),
  };
}
