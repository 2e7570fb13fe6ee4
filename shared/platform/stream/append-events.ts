import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { isTerminalEvent } from "../../domain/run/run-status.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import { formatEventLine } from "./event-line.ts";
import { runStream } from "./keys.ts";

/** How long an ended run's stream stays in Redis; Postgres serves it after that. */
const endedTtlMs = 300_000;
/** A bound on streams whose end Redis never heard of; longer than any run may wait and last. */
const liveTtlMs = 48 * 3_600_000;

/**
 * Appends events to a run's stream and publishes them, atomically, in one round trip.
 * `fenced`: Redis holds a later attempt (or the run's end); nothing was written and the caller must stop the run.
 * A repeat after a lost answer is `written`: the same ids of the same attempt stand already. Rejects when Redis is out of
 * reach.
 */
export async function appendEvents(
  redis: Redis,
  prefix: string,
  runId: string,
  events: StreamEvent[],
): Promise<"written" | "fenced"> {
  const last = events.at(-1);
  if (!last) return "written";
  const ttl = isTerminalEvent(last.type) ? endedTtlMs : liveTtlMs;
  const rest = [runStream(prefix, runId), String(last.attempt), String(ttl), ...events.map(formatEventLine)];
  const answer = await evaluate(redis, rest);
  return answer === "fenced" ? "fenced" : "written";
}

/** By its digest: Redis has forgotten a script only after a restart. */
async function evaluate(redis: Redis, keyAndArguments: string[]): Promise<unknown> {
  try {
    return await redis.call("EVALSHA", digest, "1", ...keyAndArguments);
  } catch (error) {
    if (!String(error).includes("NOSCRIPT")) throw error;
    return redis.call("EVAL", script, "1", ...keyAndArguments);
  }
}

// XADD refuses an id that is not greater than the stream's last: of a later attempt it is the fence, of the same it is a repeat.
const script = `
local new = {}
for i = 3, #ARGV do
  local id = string.match(ARGV[i], '^[^\\t]+')
  local reply = redis.pcall('XADD', KEYS[1], id, 'e', ARGV[i])
  if type(reply) == 'table' and reply.err then
    local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
    if not last[1] then return redis.error_reply(reply.err) end
    if tonumber(string.match(last[1][1], '^%d+')) > tonumber(ARGV[1]) then return 'fenced' end
  else
    new[#new + 1] = ARGV[i]
  end
end
if #new > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PUBLISH', KEYS[1], table.concat(new, '\\n'))
end
return 'written'`;
const digest = hash("sha1", script);
