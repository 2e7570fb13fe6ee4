import { isTerminalEvent } from "../../domain/run/run-status.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import type { RedisClient } from "./connection.ts";
import { formatEventLine } from "./event-line.ts";
import { runStream } from "./keys.ts";
import { redisScript } from "./redis-script.ts";

/** How long an ended run's stream stays in Redis. Afterwards the transcript in Postgres is read. */
const endedTtlMs = 300_000;
/** For streams whose terminal event never reached Redis. Longer than any run may wait and last. */
const liveTtlMs = 48 * 3_600_000;

/**
 * Appends events to a run's stream and publishes them, atomically, in one round trip. Returns `fenced` when Redis has events of
 * a later attempt: nothing was written then, and the caller must stop the run. Returns `written` for a repeat after a lost
 * answer, too: the same ids of the same attempt are there already. Rejects when Redis is out of reach.
 */
export async function appendEvents(
  redis: RedisClient,
  prefix: string,
  runId: string,
  events: StreamEvent[],
): Promise<"written" | "fenced"> {
  const last = events.at(-1);
  if (!last) return "written";
  const ttl = isTerminalEvent(last.type) ? endedTtlMs : liveTtlMs;
  const rest = [String(last.attempt), String(ttl), ...events.map(formatEventLine)];
  const answer = await append(redis, [runStream(prefix, runId)], rest);
  return answer === "fenced" ? "fenced" : "written";
}

// XADD refuses an id that is not greater than the stream's last. When that one is of a later attempt, the caller is fenced;
// when it is of the same attempt, the event is a repeat. It refuses for other reasons, too: a replica takes no writes.
const append = redisScript(`
local new = {}
for i = 3, #ARGV do
  local id = string.match(ARGV[i], '^[^\\t]+')
  local reply = redis.pcall('XADD', KEYS[1], id, 'e', ARGV[i])
  if type(reply) == 'table' and reply.err then
    if not string.find(reply.err, 'equal or smaller', 1, true) then return redis.error_reply(reply.err) end
    local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
    if tonumber(string.match(last[1][1], '^%d+')) > tonumber(ARGV[1]) then return 'fenced' end
  else
    new[#new + 1] = ARGV[i]
  end
end
if #new > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PUBLISH', KEYS[1], table.concat(new, '\\n'))
end
return 'written'`);
