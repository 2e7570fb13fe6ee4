import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import { type DaemonEvent, daemonEvent, daemonLogLine, daemonRecord } from "../../shared/schemas/daemon.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { readDaemonLog } from "../../shared/store/daemons/read-daemon-log.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { awayOf } from "../stream/resume-elsewhere.ts";
import { encodeMessage, writeSse } from "../stream/write-sse.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { daemonParams } from "./daemon-request.ts";
import { readLogCursor } from "./log-cursor.ts";

/** How often the daemon is read for each reader. A log is written at most every 200 ms. */
const pollMs = 300;
const batch = 500;

const line = exampleOf(daemonLogLine);
const example =
  encodeMessage<DaemonEvent>({ event: "daemon.status", data: exampleOf(daemonRecord) }) +
  encodeMessage<DaemonEvent>({ event: "log", id: line.id, data: line });

export const streamDaemon = defineOperation({
  method: "get",
  path: "/v1/daemon/{agent_id}/stream",
  name: "stream_daemon",
  area: "Daemons",
  scope: "daemons:read",
  summary: "Stream a daemon's log and status",
  description:
    "Server-Sent Events: a `log` event for each line, with the line's id, and a `daemon.status` event without an id at each change of status. Resume with `Last-Event-ID` (or `?after=`). The stream ends when the client disconnects.",
  request: {
    params: daemonParams,
    query: z.object(afterQuery),
    headers: z.object(lastEventIdHeader),
  },
  errors: ["malformed_cursor", "too_many_streams"],
  responses: {
    200: { description: "Server-Sent Events", content_type: "text/event-stream", events: daemonEvent, example },
  },
  async handle(
    ctx: Pick<ApiContext, "db" | "stores" | "leaving">,
    { params, query, headers, untilGone, caller, holdOpen },
  ) {
    const cursor = readLogCursor(readLastEventId({ headers, query }));
    holdOpen();
    await readDaemonOf(ctx, params.agent_id, caller.owner);
    const away = awayOf(ctx);
    const until = AbortSignal.any([untilGone(), away.leaving, away.cutOff]);
    return { respond: (_req, res) => writeSse(res, follow(ctx, params.agent_id, cursor, until), away) };
  },
});

async function* follow(
  ctx: Pick<ApiContext, "db">,
  agent_id: string,
  start: EventId,
  until: AbortSignal,
): AsyncGenerator<string> {
  let cursor = start;
  let shown = "";
  while (!until.aborted) {
    const daemon = await readDaemonOf(ctx, agent_id, null);
    const state = [daemon.status, daemon.desired, daemon.version, daemon.pid, daemon.restarts].join(" ");
    if (state !== shown) yield encodeMessage<DaemonEvent>({ event: "daemon.status", data: daemon });
    shown = state;
    const { data: lines, has_more } = await readDaemonLog(ctx.db, agent_id, cursor, batch);
    if (lines.length > 0)
      yield lines.map((data) => encodeMessage<DaemonEvent>({ event: "log", id: data.id, data })).join("");
    const last = lines.at(-1);
    if (last) cursor = readLogCursor(last.id);
    if (!has_more) await sleep(pollMs, undefined, { signal: until }).catch(() => undefined);
  }
}
