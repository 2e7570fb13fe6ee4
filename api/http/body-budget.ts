import type { Response } from "express";
import { unavailable } from "../../shared/domain/errors/app-error.ts";

/** Counts the bytes of bodies that somebody without a key has sent and that are in memory. */
export type BodyBudget = {
  /** Returns what is told of each part of a body from this address until the answer is closed. It throws unavailable. */
  open(address: string | undefined, res: Response): (bytes: number) => void;
};

const retryAfterSeconds = 5;

/** `all`: the bytes of all bodies at once. `each`: those from one address, so that one sender doesn't take the others' room. */
export function createBodyBudget(most: { all: number; each: number }): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;
  const add = (address: string, bytes: number): number => {
    const left = (held.get(address) ?? 0) + bytes;
    total += bytes;
    if (left > 0) held.set(address, left);
    else held.delete(address);
    return left;
  };
  return {
    open(address = "", res) {
      let own = 0;
      let isClosed = false;
      res.once("close", () => {
        isClosed = true;
        add(address, -own);
      });
      return (bytes) => {
        if (isClosed) return;
        own += bytes;
        if (add(address, bytes) > most.each || total > most.all)
          throw unavailable(
            "too_many_bodies",
            "The service is reading as many bodies without a key as it may. Send the request again later.",
            retryAfterSeconds,
          );
      };
    },
  };
}
