import { type EventId, formatEventId } from "../../domain/run/event-id.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import type { RedisClient } from "./connection.ts";
import { parseEventLine } from "./event-line.ts";
import { runStream } from "./keys.ts";

const pageSize = 1000;

/** Reads a run's stream from Redis after `cursor`, in order, at most a page. The caller must check for gaps. */
export async function readEvents(
  redis: RedisClient,
  prefix: string,
  runId: string,
  cursor: EventId,
): Promise<StreamEvent[]> {
  const entries = await redis.xrange(runStream(prefix, runId), `(${formatEventId(cursor)}`, "+", "COUNT", pageSize);
  return entries.flatMap(([, fields]) => parseEventLine(fields[1] ?? "") ?? []);
}
