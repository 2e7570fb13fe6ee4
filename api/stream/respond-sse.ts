import type { Response } from "express";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import type { Log } from "../../shared/platform/log.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { logFault } from "../http/error-handler.ts";
import { followRun, type RunReader } from "./follow-run.ts";
import { type Format, formats } from "./projections/projections.ts";
import { openSseWriter } from "./sse-writer.ts";
import { nativeFormat, projectedFormat } from "./stream-format.ts";
import type { Tail } from "./tail.ts";
import type { TailHub } from "./tail-hub.ts";
import type { StoreWatch } from "./watch-stores.ts";

/** The query parameter that asks for another stream format. */
export const formatQuery = {
  format: choice(formats).optional().meta({
    description:
      "The stream in another protocol: plain text, OpenAI's chat completion chunks, the AI SDK's UI message stream, AG-UI's events or LangGraph Server's. Left out: the events of this service.",
  }),
};

export type Sse = {
  run_id: string;
  thread_id: string | null;
  tail: Tail;
  cursor: EventId;
  /** The run's first event, when this request made the run. It is sent at once. */
  first: StreamEvent | null;
  /** Undefined: the events of this service. */
  format: Format | undefined;
};

type Deps = {
  db: Db;
  hub: Pick<TailHub, "backfill" | "encode">;
  log: Log;
  stores: Pick<StoreWatch, "signal">;
  /** Aborted when this process shuts down. */
  leaving: AbortSignal;
};

/**
 * Streams a run to a client until the run's terminal event, until the client is gone, or until this process shuts down or is
 * cut off from the stores. Closes the tail. Returns at once, so that the request's own objects can be collected while the answer lasts.
 */
export function respondSse(deps: Deps, res: Response, sse: Sse): void {
  const { run_id, thread_id, tail, cursor, first, format } = sse;
  const headers = {
    "X-Run-Id": run_id,
    ...(thread_id === null ? {} : { "X-Thread-Id": thread_id }),
    // LangGraph's client resumes at this address.
    Location: `/v1/runs/${run_id}/stream${format === undefined ? "" : `?format=${format}`}`,
    "Content-Location": `/v1/runs/${run_id}`,
  };
  const away = { leaving: deps.leaving, cutOff: deps.stores.signal() };
  const stream = format === undefined ? nativeFormat({ hub: deps.hub, away }, cursor) : projectedFormat(format, cursor);
  const { encode, encodeEnd } = stream;
  const writer = openSseWriter(res, {
    headers: { ...headers, ...stream.headers },
    first: stream.prelude + (first ? encode([first]).text : ""),
    ping: stream.ping,
  });
  if (res.destroyed) tail.close();
  else res.on("close", () => tail.close());
  const reader: RunReader = {
    take: (events) => writer.write(encode(events)),
    end: (events) => writer.end(encodeEnd(events)),
    fail(error) {
      logFault(deps.log, error, res);
      res.destroy();
    },
  };
  followRun(deps, run_id, tail, { cursor: first ?? stream.after, fresh: first !== null, reader });
}
