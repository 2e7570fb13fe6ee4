/** How much of the gateway one sandbox, and all sandboxes together, may use. In milliseconds and bytes. */
export type GatewayLimits = {
  /** Connections of one sandbox. */
  connections: number;
  /** Connections of all sandboxes. Each may use two descriptors. */
  connectionsInAll: number;
  /** Name look-ups of one sandbox at a time. A name server that does not answer occupies a thread for seconds. */
  lookups: number;
  headerBytes: number;
  headers: number;
  urlLength: number;
  /** From a connection's first byte to the end of its request's head. */
  headMs: number;
  /** For the look-up of a name and the connect together. */
  connectMs: number;
  /** From the request to the head of the target's answer. A model may need that long. */
  answerMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
  /** The same, after one side has closed its direction. */
  halfOpenMs: number;
  keepAliveMs: number;
};

/** Bodies that are read as a whole, in bytes. */
export const bodyLimits = {
  request: 32 * 1024 * 1024,
  requestsInAll: 256 * 1024 * 1024,
  /** A longer answer is passed on unread: what it cost is estimated. */
  answer: 16 * 1024 * 1024,
  /** Of a stream. */
  event: 1024 * 1024,
  depth: 128,
} as const;

export const gatewayLimits: GatewayLimits = {
  connections: 64,
  connectionsInAll: 2_048,
  lookups: 4,
  headerBytes: 32 * 1024,
  headers: 256,
  urlLength: 16 * 1024,
  headMs: 30_000,
  connectMs: 10_000,
  answerMs: 600_000,
  idleMs: 600_000,
  halfOpenMs: 60_000,
  keepAliveMs: 65_000,
};
