import { Cluster } from "ioredis";
import { rememberIds } from "../lifecycle/recent-ids.ts";
import type { RedisClient } from "../stream/connection.ts";
import { creditsKey, workerChannel } from "../stream/keys.ts";
import { redisScript } from "../stream/redis-script.ts";

/** The credits of a worker that is silent for this long are void: it is frozen, or its event loop is blocked. */
const freshMs = 3_000;
/** Workers without credits have none for a while: they are crowded. They aren't asked again for this long. */
const withoutMs = 200;

/**
 * How many runs each worker has room for, in Redis. Whoever accepts a run takes a credit, and commits the run as that
 * worker's: so the run needs no claim. Each call rejects when Redis is out of reach.
 */
export type WorkerCredits = {
  give(workerId: string, count: number): Promise<void>;
  /** Keeps a worker's credits fresh; to be called each second. Returns how many nobody has taken; null: they have become void. */
  refresh(workerId: string): Promise<number | null>;
  /** Takes a credit of the first worker that has one, of the first `most` of these that live; null when none has, or had a moment ago. */
  take(workerIds: readonly string[], most: number): Promise<string | null>;
  /** Takes up to `most` credits of a worker. Returns how many. */
  takeBack(workerId: string, most: number): Promise<number>;
  forget(workerId: string): Promise<void>;
};

export function workerCredits(redis: RedisClient, prefix: string): WorkerCredits {
  const keyOf = (workerId: string): string => creditsKey(prefix, workerId);
  // A node of a cluster knows its own subscribers only.
  const channels = redis instanceof Cluster ? "" : workerChannel(prefix, "");
  const without = rememberIds(withoutMs);
  return {
    async give(workerId, count) {
      await give(redis, [keyOf(workerId)], [String(count)]);
    },
    refresh: async (workerId) => (await refresh(redis, [keyOf(workerId)], [])) as number | null,
    async take(workerIds, most) {
      const asked = workerIds.join();
      if (without.has(asked)) return null;
      const worker = (await take(redis, workerIds.map(keyOf), [channels, String(most), ...workerIds])) as string | null;
      if (worker === null) without.add(asked);
      return worker;
    },
    takeBack: async (workerId, most) => Number(await takeBack(redis, [keyOf(workerId)], [String(most)])),
    async forget(workerId) {
      await redis.del(keyOf(workerId));
    },
  };
}

const give = redisScript(`
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${freshMs})`);

const refresh = redisScript(`
if redis.call('PEXPIRE', KEYS[1], ${freshMs}) == 0 then return false end
return tonumber(redis.call('GET', KEYS[1]))`);

// A worker that doesn't listen to its channel is gone, and its credits with it.
const take = redisScript(`
local left = tonumber(ARGV[2])
for i = 1, #KEYS do
  local worker = ARGV[2 + i]
  if ARGV[1] ~= '' and redis.call('PUBSUB', 'NUMSUB', ARGV[1] .. worker)[2] == 0 then
    redis.call('DEL', KEYS[i])
  elseif left > 0 then
    left = left - 1
    if (tonumber(redis.call('GET', KEYS[i])) or 0) > 0 then
      redis.call('DECR', KEYS[i])
      return worker
    end
  end
end
return false`);

const takeBack = redisScript(`
local taken = math.min(tonumber(redis.call('GET', KEYS[1])) or 0, tonumber(ARGV[1]))
if taken > 0 then redis.call('DECRBY', KEYS[1], taken) end
return taken`);
