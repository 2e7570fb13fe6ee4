import { beforeFirst, type EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { encodeRetry } from "./encode-sse.ts";
import { type EncodedChunk, encodeChunk } from "./encoded-chunk.ts";
import { projectRun } from "./projections/project-run.ts";
import type { Projection } from "./projections/projection.ts";
import { ssePing, ssePingLine } from "./sse-ping.ts";

/** How long a client waits before it connects again. */
export const retryMs = 3_000;
/** The same when this process shuts down: another one is ready. */
export const resumeMs = 100;

/** How a run's events are written to a client. */
export type StreamFormat = {
  headers: Readonly<Record<string, string>>;
  prelude: string;
  ping: string;
  /** The format needs the events after this one. */
  after: EventId;
  encode: (events: StreamEvent[]) => EncodedChunk;
  /** Returns the end of the stream: the last events, if any, and what closes the format. */
  encodeEnd: (events: StreamEvent[]) => string;
};

type Deps = {
  hub: { encode: (events: StreamEvent[]) => EncodedChunk };
  /** Aborted when this process shuts down. */
  leaving: AbortSignal;
};

/** The events of this service. */
export function nativeFormat({ hub, leaving }: Deps, cursor: EventId): StreamFormat {
  return {
    headers: {},
    prelude: encodeRetry(retryMs),
    ping: ssePing,
    after: cursor,
    encode: hub.encode,
    encodeEnd(events) {
      if (events.length > 0) return hub.encode(events).text;
      return leaving.aborted ? encodeRetry(resumeMs) : "";
    },
  };
}

/** The format of another protocol. */
export function projectedFormat(
  { leaving }: Pick<Deps, "leaving">,
  projection: Projection,
  cursor: EventId,
): StreamFormat {
  const projected = projectRun(projection, cursor);
  return {
    headers: projection.headers,
    prelude: "",
    ping: projection.plain ? "" : ssePingLine,
    // A projection of an event depends on all events before it.
    after: beforeFirst,
    encode: (events) => encodeChunk(projected.push(events)),
    encodeEnd: (events) => projected.push(events) + projected.end(leaving.aborted),
  };
}
