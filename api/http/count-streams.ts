import type { Response } from "express";
import { AppError } from "../../shared/domain/errors/app-error.ts";

/** Counts the answers of this process that stay open, by whoever asked for them. */
export type StreamCounter = {
  /** Counts one until it is closed. Throws too_many_requests where `who` has as many open as may be. */
  hold(who: string, res: Response): void;
};

const comeAgainSeconds = 5;

/** `most`: of one user with all of their keys; 0: no limit. */
export function createStreamCounter(most: number): StreamCounter {
  const open = new Map<string, number>();
  return {
    hold(who, res) {
      const count = (open.get(who) ?? 0) + 1;
      if (most > 0 && count > most)
        throw new AppError(
          "too_many_requests",
          "too_many_streams",
          `${most} streams of this user, or requests that wait for an end, are open already (STREAMS_PER_USER).`,
          comeAgainSeconds,
        );
      if (res.closed) return;
      open.set(who, count);
      res.once("close", () => {
        const left = (open.get(who) ?? 1) - 1;
        if (left > 0) open.set(who, left);
        else open.delete(who);
      });
    },
  };
}
