/** Where BullMQ keeps its keys, and the queue that runs wait in. */
export const bullPrefix = (prefix: string): string => `${prefix}bull`;
export const runsQueue = "runs";
