import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError, notFound } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";
import { type BuildEvent, buildEvent } from "../../shared/schemas/build.ts";
import { versionParams } from "../../shared/schemas/version.ts";
import { type BuildLog, readBuildLog } from "../../shared/store/builds/read-build-log.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { awayOf } from "../stream/resume-elsewhere.ts";
import { encodeMessage, writeSse } from "../stream/write-sse.ts";
import { findVersion } from "./find-version.ts";

/** How often the build is read for each reader. A log is written at most every 500 ms. */
const pollMs = 300;

const example =
  encodeMessage<BuildEvent>({ event: "build.log", id: "1-24", data: { text: "added 3 packages in 2s\n" } }) +
  encodeMessage<BuildEvent>({ event: "build.ended", id: "1-25", data: { state: "ready", error: null } });

export const streamBuild = defineOperation({
  method: "get",
  path: "/v1/versions/{agent_id}/{version}/build/stream",
  name: "stream_build",
  area: "Versions",
  scope: "agents:read",
  summary: "Stream a build's log",
  description:
    "Server-Sent Events: `build.log` with text as the build prints it, and at last `build.ended`. Resume with `Last-Event-ID` (or `?after=`). 204 when no event is left. When a worker dies another one builds anew, and the log begins anew with it.",
  request: { params: versionParams, query: z.object(afterQuery), headers: z.object(lastEventIdHeader) },
  errors: ["agent_not_found", "version_not_found", "build_not_found", "malformed_cursor", "too_many_streams"],
  responses: {
    200: { description: "Server-Sent Events", content_type: "text/event-stream", events: buildEvent, example },
    204: { description: "The build has ended, and the reader has all of its events" },
  },
  async handle(
    ctx: Pick<ApiContext, "db" | "stores" | "leaving">,
    { params, query, headers, untilGone, caller, holdOpen },
  ) {
    const cursor = readCursor(readLastEventId({ headers, query }));
    const of = await findVersion(ctx.db, params, caller.owner);
    const read = await readBuildLog(ctx.db, of, cursor);
    if (!read) throw notFound("build", of.version);
    if (read.state !== "building" && isTold(cursor, read)) return { status: 204 };
    holdOpen();
    const away = awayOf(ctx);
    const until = AbortSignal.any([untilGone(), away.leaving, away.cutOff]);
    return { respond: (_req, res) => writeSse(res, follow(ctx, of, { cursor, until }), away) };
  },
});

/** True for the id of `build.ended`, which stands behind the log's last character. */
const isTold = ({ attempt, seq }: EventId, { at, length }: BuildLog): boolean => attempt === at.attempt && seq > length;

/** An id is the attempt, and how many characters of its log were read. */
function readCursor(text: string | undefined): EventId {
  const cursor = text === undefined ? beforeFirst : parseEventId(text);
  if (cursor) return cursor;
  throw new AppError(
    "bad_request",
    "malformed_cursor",
    "`Last-Event-ID` or `after` is not the id of an event of a build. An id has the form <attempt>-<characters>, as in 1-42.",
  );
}

type From = { cursor: EventId; until: AbortSignal };

async function* follow(
  ctx: Pick<ApiContext, "db">,
  of: { agent_id: string; version: string },
  { cursor, until }: From,
): AsyncGenerator<string> {
  let at = cursor;
  while (!until.aborted) {
    const read = await readBuildLog(ctx.db, of, at);
    if (!read) return;
    const { text, length, state, error } = read;
    at = read.at;
    if (text !== "") {
      yield encodeMessage<BuildEvent>({ event: "build.log", id: `${at.attempt}-${at.seq}`, data: { text } });
      continue;
    }
    const end = { event: "build.ended", id: `${at.attempt}-${length + 1}`, data: { state, error } } as const;
    if (state !== "building") return yield encodeMessage<BuildEvent>(end);
    await sleep(pollMs, undefined, { signal: until }).catch(() => undefined);
  }
}
