/** How much of the gateway one sandbox, and all sandboxes together, may use. In milliseconds and bytes. */
export type GatewayLimits = {
  /** Connections of one sandbox. */
  connections: number;
  /** Connections of all sandboxes. Each may use two descriptors. */
  connectionsInAll: number;
  /** Connections that one sandbox has in any case, however many the others hold. */
  connectionsAlways: number;
  /** Answers of one sandbox that are read to their ends though their clients have gone. */
  readings: number;
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
  /** Of one sandbox, and of all. One sandbox always has a little, however many bytes the others hold. */
  requestsOfOne: 64 * 1024 * 1024,
  requestsInAll: 256 * 1024 * 1024,
  always: 1024 * 1024,
  /** Items and members of a request. An embedding may have 300,000 tokens. */
  values: 500_000,
  /** Longer requests are read, and longer answers kept, in turns. */
  inTurns: 64 * 1024,
  /** Of a longer answer only the beginning and the end are read: there services say what it cost. */
  answer: 1024 * 1024,
  answerEnds: 64 * 1024,
  /** Answers that are held until they are kept, of one sandbox and of all. What comes beyond is passed on and not kept. */
  answersOfOne: 32 * 1024 * 1024,
  answersInAll: 128 * 1024 * 1024,
  /** Of a stream. */
  event: 1024 * 1024,
  depth: 128,
} as const;

export const gatewayLimits: GatewayLimits = {
  connections: 64,
  connectionsInAll: 2_048,
  connectionsAlways: 8,
  readings: 64,
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
