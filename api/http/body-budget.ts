import type { Response } from "express";
import { unavailable } from "../../shared/domain/errors/app-error.ts";

/** Counts the bytes of bodies that are in memory. */
export type BodyBudget = {
  /** Counts a body of a sender's: of an address, or of whose key it came with. */
  open(sender: string | undefined, res: Response): CountedBody;
};

export type CountedBody = {
  /** Is told of each part. Throws unavailable. */
  count(bytes: number): void;
  /** The body is in use, and its bytes aren't held any more. Without this they are until the answer is closed. */
  release(): void;
};

const retryAfterSeconds = 5;

/** `all`: the bytes of all bodies at once. `each`: those of one sender, so that none takes the others' room. `what`: whose bodies they are. */
export function createBodyBudget(most: { all: number; each: number }, what: string): BodyBudget {
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
    open(sender = "", res) {
      let own = 0;
      let isOver = false;
      const release = (): void => {
        if (isOver) return;
        isOver = true;
        res.off("close", release);
        add(sender, -own);
      };
      res.once("close", release);
      return {
        release,
        count(bytes) {
          if (isOver) return;
          own += bytes;
          if (add(sender, bytes) > most.each || total > most.all)
            throw unavailable(
              "too_many_bodies",
              `The service is reading as many bodies ${what} as it may. Send the request again later.`,
              retryAfterSeconds,
            );
        },
      };
    },
  };
}
