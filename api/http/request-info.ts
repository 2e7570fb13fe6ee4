import type { Caller } from "./caller.ts";

/** What every handler gets besides its parsed parts. */
export type RequestInfo = {
  request_id: string;
  caller: Caller;
  /** A well-formed W3C `traceparent`, to be handed on. */
  traceparent: string | undefined;
  /** The peer's address. */
  ip: string | undefined;
  /** Aborted when the client goes away before the answer is complete. */
  signal: AbortSignal;
};
