import type { Caller } from "./caller.ts";

/** What every handler gets besides its parsed parts. */
export type RequestInfo = {
  request_id: string;
  caller: Caller;
  /** A well-formed W3C `traceparent`, which is stored with a new run. */
  traceparent: string | undefined;
  /** The peer's address. */
  ip: string | undefined;
  /** Returns a signal that is aborted when the client disconnects before the answer is complete. */
  untilGone: () => AbortSignal;
  /** For streams and waiting requests: counts the answer as one of its user until it ends. Throws too_many_requests. */
  holdOpen: () => void;
};
