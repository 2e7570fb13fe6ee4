/** The key of a run's stream, and the channel that its events are published on. */
export const runStream = (prefix: string, runId: string): string => `${prefix}run:${runId}`;

/** The channel on which all workers are told of daemons. */
export const daemonsChannel = (prefix: string): string => `${prefix}daemons`;

/** The channel on which a worker is told of its runs. */
export const workerChannel = (prefix: string, workerId: string): string => `${prefix}worker:${workerId}`;

/** The channel on which API processes are told whom a notification was made for. */
export const newsChannel = (prefix: string): string => `${prefix}news`;
