import type { Response } from "express";

/** The reason of `untilGone` where this service cut the connection. */
export const cutByService = new Error("The service cut the connection.");

/** Cuts the connection of an answer that can't be completed. Its client did not leave. */
export function cut(res: Response): void {
  res.locals["is_cut"] = true;
  res.destroy();
}

/** Returns a signal that is aborted when the connection ends before the answer is complete; its reason tells who ended it. */
export function untilGone(res: Response): AbortSignal {
  const gone = new AbortController();
  const check = (): void => {
    if (!res.writableFinished) gone.abort(res.locals["is_cut"] === true ? cutByService : undefined);
  };
  if (res.destroyed) check();
  else res.on("close", check);
  return gone.signal;
}
