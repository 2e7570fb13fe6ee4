/** The prefix of BullMQ's keys. */
export const bullPrefix = (prefix: string): string => `${prefix}bull`;
/** The queue of runs' nudges, and that of schedules' ticks. */
export const runsQueue = "runs";
export const ticksQueue = "ticks";
