/** The key of a run's stream, and the channel that its events are published on. */
export const runStream = (prefix: string, runId: string): string => `${prefix}run:${runId}`;

/** The channel of signals about daemons, to all workers. */
export const daemonsChannel = (prefix: string): string => `${prefix}daemons`;

/** The channel of messages to one worker about its runs. */
export const workerChannel = (prefix: string, workerId: string): string => `${prefix}worker:${workerId}`;

/** The channel of signals about new notifications, to all API processes. */
export const notificationsChannel = (prefix: string): string => `${prefix}news`;

/** The channel of signals about new builds, to all workers. */
export const buildsChannel = (prefix: string): string => `${prefix}builds`;

/** The key of a worker's credits. All have one slot of a cluster. */
export const creditsKey = (prefix: string, workerId: string): string => `${prefix}{credits}:${workerId}`;
