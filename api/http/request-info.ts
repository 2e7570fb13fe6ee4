import type { Credentials } from "./authenticate.ts";
import type { Caller } from "./caller.ts";

/** What every handler gets besides its parsed parts. */
export type RequestInfo = {
  request_id: string;
  caller: Caller;
  /** A well-formed W3C `traceparent`, which is stored with a new run. */
  traceparent: string | undefined;
  /** The peer's address. */
  ip: string | undefined;
  /** How the request says who sends it, for operations that sign people in and out. */
  sender: Sender;
  /**
   * Returns a signal that is aborted when the connection ends before the answer is complete: with the reason `cutByService`, or
   * because the client disconnects.
   */
  untilGone: () => AbortSignal;
  /**
   * For streams and waiting requests: counts the answer as one of its user until it ends; `who` (see `limiterKey`) if not the
   * caller's. Throws too_many_requests.
   */
  holdOpen: (who?: string) => void;
};

export type Sender = {
  credentials: Credentials;
  /** True when a web page of another origin sends it. */
  is_foreign: boolean;
  /** True when the browser talks to us over https. */
  is_https: boolean;
  /** The browser's own name, at most 256 characters. */
  user_agent: string | null;
};
