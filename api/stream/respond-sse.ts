import type { Response } from "express";
import { beforeFirst, type EventId } from "../../shared/domain/run/event-id.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { ApiContext } from "../context.ts";
import { logFault } from "../http/error-handler.ts";
import { encodeRetry, sseComment, ssePing } from "./encode-sse.ts";
import { followRun, type RunReader } from "./follow-run.ts";
import { openOutlet } from "./open-outlet.ts";
import { type Piece, pieceOf } from "./piece.ts";
import { projectRun } from "./projections/project-run.ts";
import { type Format, formats, projections } from "./projections/projections.ts";
import type { Tail } from "./tail.ts";

const retryMs = 3_000;
/** The same when this process goes: another one is there already. */
const resumeMs = 100;

/** The query parameter that asks for another format. */
export const formatQuery = {
  format: choice(formats).optional().meta({
    description:
      "The stream in another protocol's words: plain text, OpenAI's chat completion chunks, the AI SDK's UI message stream, AG-UI's events or LangGraph Server's. Without it: the events as they are.",
  }),
};

export type Sse = {
  run_id: string;
  thread_id: string | null;
  tail: Tail;
  cursor: EventId;
  /** Sent at once; the run was made by this request, so there is nothing else before it. */
  first: StreamEvent | null;
  /** Undefined: the events as they are. */
  format: Format | undefined;
};

type Deps = Pick<ApiContext, "db" | "hub" | "log" | "leaving">;

/**
 * Streams a run to a client until its terminal event, the client's going, or this process'. Closes the tail. Returns at
 * once: what the request was made of needn't wait beside its answer.
 */
export function respondSse(deps: Deps, res: Response, sse: Sse): void {
  const { run_id, thread_id, tail, cursor, first, format } = sse;
  const headers = {
    "X-Run-Id": run_id,
    ...(thread_id === null ? {} : { "X-Thread-Id": thread_id }),
    // Where LangGraph's client resumes.
    Location: `/v1/runs/${run_id}/stream${format === undefined ? "" : `?format=${format}`}`,
    "Content-Location": `/v1/runs/${run_id}`,
  };
  const { tell, close, ...words } = format === undefined ? wordsAsTheyAre(deps, cursor) : wordsOf(format, cursor);
  const outlet = openOutlet(res, {
    headers: { ...headers, ...words.headers },
    first: words.prelude + (first ? tell([first]).text : ""),
    ping: words.ping,
  });
  if (res.destroyed) tail.close();
  else res.on("close", () => tail.close());
  const reader: RunReader = {
    take: (events) => outlet.write(tell(events)),
    end: (events) => outlet.end(close(events)),
    fail(error) {
      logFault(deps.log, error, res);
      res.destroy();
    },
  };
  followRun(deps, run_id, tail, { cursor: first ?? words.after, fresh: first !== null, reader });
}

/** Streams other messages as they come, at the client's pace. When the client goes, `texts` is to end by itself. */
export async function writeSse(res: Response, texts: AsyncIterable<string>): Promise<void> {
  const outlet = openOutlet(res, { headers: {}, first: encodeRetry(retryMs), ping: ssePing });
  for await (const text of texts) await outlet.write(pieceOf(text));
  outlet.end("");
}

/** How a run is told. */
type Words = {
  headers: Readonly<Record<string, string>>;
  prelude: string;
  ping: string;
  /** The last event that need not be told. */
  after: EventId;
  tell: (events: StreamEvent[]) => Piece;
  /** The last words, after the last events, if any. */
  close: (events: StreamEvent[]) => string;
};

function wordsAsTheyAre({ hub, leaving }: Deps, cursor: EventId): Words {
  return {
    headers: {},
    prelude: encodeRetry(retryMs),
    ping: ssePing,
    after: cursor,
    tell: hub.encode,
    close(events) {
      if (events.length > 0) return hub.encode(events).text;
      return leaving.aborted ? encodeRetry(resumeMs) : "";
    },
  };
}

function wordsOf(format: Format, cursor: EventId): Words {
  const projection = projections[format];
  const projected = projectRun(projection, cursor);
  return {
    headers: projection.headers,
    prelude: "",
    ping: projection.plain ? "" : sseComment,
    // What it says of an event follows from all those before.
    after: beforeFirst,
    tell: (events) => pieceOf(projected.push(events)),
    close: (events) => projected.push(events) + projected.end(),
  };
}
