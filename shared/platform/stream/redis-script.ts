import { hash } from "node:crypto";
import type { RedisClient } from "./connection.ts";

/** A Lua script that Redis runs atomically over keys of one slot. */
export type RedisScript = (redis: RedisClient, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** Returns a script that is called by its digest. Redis forgets scripts only when it restarts. */
export function redisScript(script: string): RedisScript {
  const digest = hash("sha1", script);
  return async (redis, keys, args) => {
    const given = [String(keys.length), ...keys, ...args];
    try {
      return await redis.call("EVALSHA", digest, ...given);
    } catch (error) {
      if (!String(error).includes("NOSCRIPT")) throw error;
      return redis.call("EVAL", script, ...given);
    }
  };
}
