import { defaultPool } from "../../domain/run/pool.ts";
import { isCluster, type RedisAddress } from "../config/redis-url.ts";

/**
 * The prefix of BullMQ's keys. Its scripts use several keys at once, so in a cluster all of them have one hash tag: that of
 * the given prefix, or one of their own. Streams of runs have none and are spread over the nodes.
 */
export const bullPrefix = (url: RedisAddress, prefix: string): string =>
  isCluster(url) && !prefix.includes("{") ? `{${prefix}bull}` : `${prefix}bull`;
/** The queue of nudges for a pool's runs: a name of an agent's pool can't hold a dot. */
export const runsQueue = (pool: string): string => (pool === defaultPool ? "runs" : `runs.${pool}`);
/** The queue of schedules' ticks. */
export const ticksQueue = "ticks";
