/** Where BullMQ keeps its keys, the queue that runs wait in, and the one that jobs' ticks come from. */
export const bullPrefix = (prefix: string): string => `${prefix}bull`;
export const runsQueue = "runs";
export const ticksQueue = "ticks";
