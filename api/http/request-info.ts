/** What every handler gets besides its parsed parts. */
export type RequestInfo = {
  request_id: string;
  /** The `Authorization` header as it came. */
  authorization: string | undefined;
  /** A well-formed W3C `traceparent`, to be handed on. */
  traceparent: string | undefined;
  /** The peer's address. */
  ip: string | undefined;
  /** Aborted when the client goes away before the answer is complete. */
  signal: AbortSignal;
};
