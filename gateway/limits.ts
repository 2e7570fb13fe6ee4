/** What one sandbox, and all of them together, may take of the gateway. Milliseconds and bytes. */
export type GatewayLimits = {
  /** Of one sandbox. */
  connections: number;
  /** Of all sandboxes. Each may hold two descriptors. */
  connectionsInAll: number;
  /** Look-ups of names that one sandbox may have under way: a name whose server is silent holds a thread for seconds. */
  lookups: number;
  headerBytes: number;
  headers: number;
  urlLength: number;
  /** From a connection's first byte to the end of its request's head. */
  headMs: number;
  /** To look up a name and connect. */
  connectMs: number;
  /** From the request to the head of the target's answer. A model may think for that long. */
  answerMs: number;
  /** Without a byte either way. */
  idleMs: number;
  /** The same, once one side has said that it sends no more. */
  halfOpenMs: number;
  keepAliveMs: number;
};

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
