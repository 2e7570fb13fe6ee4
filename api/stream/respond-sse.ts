import type { Response } from "express";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import type { Log } from "../../shared/platform/log.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { logFault } from "../http/error-handler.ts";
import { cut } from "../http/until-gone.ts";
import { followRun, type RunReader } from "./follow-run.ts";
import { openSseWriter } from "./sse-writer.ts";
import { awayOf } from "./resume-elsewhere.ts";
import { nativeFormat, projectedFormat, type StreamView } from "./stream-format.ts";
import type { Tail } from "./tail.ts";
import type { TailHub } from "./tail-hub.ts";
import type { StoreWatch } from "./watch-stores.ts";

export type Sse = StreamView & {
  run_id: string;
  thread_id: string | null;
  tail: Tail;
  cursor: EventId;
  /** The run's first event, when this request made the run. It is sent at once. */
  first: StreamEvent | null;
};

export type RespondDeps = {
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
export function respondSse(deps: RespondDeps, res: Response, sse: Sse): void {
  const { run_id, thread_id, tail, cursor, first, projection } = sse;
  const headers = {
    "X-Run-Id": run_id,
    ...(thread_id === null ? {} : { "X-Thread-Id": thread_id }),
    ...sse.headers,
  };
  const away = awayOf(deps);
  const stream =
    projection === undefined
      ? nativeFormat({ hub: deps.hub, away }, cursor)
      : projectedFormat(away, projection, cursor);
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
    end(events) {
      const end = encodeEnd(events);
      if (end === null) cut(res);
      else writer.end(end);
    },
    fail(error) {
      logFault(deps.log, error, res);
      cut(res);
    },
  };
  followRun(deps, run_id, tail, { cursor: first ?? stream.after, fresh: first !== null, reader });
}
