import { once } from "node:events";
import type { Response } from "express";
import { beforeFirst, type EventId } from "../../shared/run/event-id.ts";
import { withTimeLimit } from "../../shared/lifecycle/with-time-limit.ts";
import { isTerminalEvent } from "../../shared/run/run-status.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { ApiContext } from "../context.ts";
import { encodeRetry, encodeSse, sseComment, ssePing } from "./encode-sse.ts";
import { followRun } from "./follow-run.ts";
import { projectRun } from "./projections/project-run.ts";
import { type Format, formats, projections } from "./projections/projections.ts";
import type { Tail } from "./tail.ts";

const pingMs = 15_000;
const retryMs = 3_000;
/** The same when this process goes: another one is there already. */
const resumeMs = 100;
/** A reader that takes nothing for this long is let go; it can resume. */
const stuckReaderMs = 30_000;

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

type Deps = Pick<ApiContext, "db" | "streams" | "leaving">;

/** Streams a run to a client until its terminal event, the client's going, or this process'. Closes the tail. */
export async function respondSse(deps: Deps, res: Response, sse: Sse): Promise<void> {
  const { run_id, thread_id, tail, cursor, first, format } = sse;
  const headers = {
    "X-Run-Id": run_id,
    ...(thread_id === null ? {} : { "X-Thread-Id": thread_id }),
    // Where LangGraph's client resumes.
    Location: `/v1/runs/${run_id}/stream${format === undefined ? "" : `?format=${format}`}`,
    "Content-Location": `/v1/runs/${run_id}`,
  };
  res.once("close", () => tail.close());
  const follow = (after: EventId) => followRun(deps, run_id, tail, { cursor: first ?? after, fresh: first !== null });
  try {
    if (format === undefined)
      return await writeSse(res, headers, first ? encodeSse(first) : "", encodeRun(deps, follow(cursor)));
    const projection = projections[format];
    const opening = {
      headers: { ...headers, ...projection.headers },
      first: "",
      ping: projection.plain ? "" : sseComment,
    };
    await writeStream(res, opening, projectRun(projection, first, follow(beforeFirst), cursor));
  } finally {
    tail.close();
  }
}

/** Gives the last message as its return. */
async function* encodeRun({ leaving }: Deps, batches: AsyncIterable<StreamEvent[]>): AsyncGenerator<string, string> {
  for await (const events of batches) {
    const text = events.map(encodeSse).join("");
    if (endsRun(events)) return text;
    yield text;
  }
  return leaving.aborted ? encodeRetry(resumeMs) : "";
}

/**
 * Writes messages as they come, at the reader's pace and with pings between them: `first` with the headers, what `texts`
 * returns with the answer's end. When the reader goes, `texts` is to end by itself.
 */
export const writeSse = (
  res: Response,
  headers: Record<string, string>,
  first: string,
  texts: AsyncGenerator<string, string>,
): Promise<void> => writeStream(res, { headers, first: encodeRetry(retryMs) + first, ping: ssePing }, texts);

type Opening = { headers: Record<string, string>; first: string; ping: string };

async function writeStream(
  res: Response,
  { headers, first, ping }: Opening,
  texts: AsyncGenerator<string, string>,
): Promise<void> {
  res.status(200).set({
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...headers,
  });
  res.write(first);
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const pings = setInterval(() => res.write(ping), pingMs);
  try {
    for (;;) {
      const { done, value } = await texts.next();
      if (done) return void res.end(value);
      if (!res.write(value) && !(await drained(res, gone.signal))) return void res.destroy();
    }
  } finally {
    clearInterval(pings);
    await texts.return("");
  }
}

function endsRun(events: StreamEvent[]): boolean {
  const last = events.at(-1);
  return last !== undefined && isTerminalEvent(last.type);
}

/** False: the reader took nothing for too long, or went. */
async function drained(res: Response, gone: AbortSignal): Promise<boolean> {
  try {
    await withTimeLimit({ ms: stuckReaderMs, signals: [gone] }, (signal) => once(res, "drain", { signal }));
    return true;
  } catch {
    return false;
  }
}
