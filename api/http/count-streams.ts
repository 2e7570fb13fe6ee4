import type { Response } from "express";
import { AppError } from "../../shared/domain/errors/app-error.ts";

/** Counts the open streams and waiting requests of this process, by caller. */
export type StreamCounter = {
  /** Counts a response until it is closed. Throws too_many_requests when the caller has reached the limit. `who`: see `limiterKey`. */
  count(who: string, res: Response): void;
};

const retryAfterSeconds = 5;

/** `most`: the limit of one user over all keys; 0: no limit. */
export function createStreamCounter(most: number): StreamCounter {
  const open = new Map<string, number>();
  return {
    count(who, res) {
      const number = (open.get(who) ?? 0) + 1;
      if (most > 0 && number > most)
        throw new AppError(
          "too_many_requests",
          "too_many_streams",
          `This user has ${most} open streams and waiting requests, as many as STREAMS_PER_USER allows. Close one and try again.`,
          retryAfterSeconds,
        );
      if (res.closed) return;
      open.set(who, number);
      res.once("close", () => {
        const left = (open.get(who) ?? 1) - 1;
        if (left > 0) open.set(who, left);
        else open.delete(who);
      });
    },
  };
}
