import type { Caller } from "./caller.ts";

/** What every handler gets besides its parsed parts. */
export type RequestInfo = {
  request_id: string;
  caller: Caller;
  /** A well-formed W3C `traceparent`, to be handed on. */
  traceparent: string | undefined;
  /** The peer's address. */
  ip: string | undefined;
  /** Gives a signal that is aborted when the client goes away, or has gone, before the answer is complete. */
  untilGone: () => AbortSignal;
  /** For an answer that stays open: counts it among those of its user until then. Throws too_many_requests. */
  holdOpen: () => void;
};
