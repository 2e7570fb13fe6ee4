import { beforeFirst, type EventId } from "../../shared/domain/run/event-id.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { type EncodedChunk, encodeChunk } from "./encoded-chunk.ts";
import { projectRun } from "./projections/project-run.ts";
import type { Projection } from "./projections/projection.ts";
import { type Format, formats, projections } from "./projections/projections.ts";
import { encodeAway, encodeStart, type SentAway } from "./resume-elsewhere.ts";
import { ssePing, ssePingLine } from "./sse-ping.ts";

/** The query parameter that asks for another stream format. */
export const formatQuery = {
  format: choice(formats).optional().meta({
    description:
      "The stream in another protocol: plain text, OpenAI's chat completion chunks, the AI SDK's UI message stream, AG-UI's events or LangGraph Server's. Left out: the events of this service.",
  }),
};

/** How a run's stream is shown. */
export type StreamView = {
  /** Undefined: the events of this service. */
  projection: Projection | undefined;
  /** Response headers besides those of every stream. */
  headers: Readonly<Record<string, string>>;
};

/** Returns how `?format=` shows a run. LangGraph's client resumes at the `Location`. */
export const viewOf = (runId: string, format: Format | undefined): StreamView => ({
  projection: format && projections[format],
  headers: {
    Location: `/v1/runs/${runId}/stream${format === undefined ? "" : `?format=${format}`}`,
    "Content-Location": `/v1/runs/${runId}`,
  },
});

/** How a run's events are written to a client. */
export type StreamFormat = {
  headers: Readonly<Record<string, string>>;
  prelude: string;
  ping: string;
  /** The format needs the events after this one. */
  after: EventId;
  encode: (events: StreamEvent[]) => EncodedChunk;
  /** Returns the end of the stream: the last events, if any, and what closes the format. Null: the connection has to break. */
  encodeEnd: (events: StreamEvent[]) => string | null;
};

type Deps = { hub: { encode: (events: StreamEvent[]) => EncodedChunk }; away: SentAway };

/** The events of this service. */
export function nativeFormat({ hub, away }: Deps, cursor: EventId): StreamFormat {
  return {
    headers: {},
    prelude: encodeStart(),
    ping: ssePing,
    after: cursor,
    encode: hub.encode,
    encodeEnd(events) {
      return events.length > 0 ? hub.encode(events).text : encodeAway(away);
    },
  };
}

/** The format of another protocol. */
export function projectedFormat({ leaving, cutOff }: SentAway, projection: Projection, cursor: EventId): StreamFormat {
  const projected = projectRun(projection, cursor);
  return {
    headers: projection.headers,
    prelude: "",
    ping: projection.plain ? "" : ssePingLine,
    // A projection of an event depends on all events before it.
    after: beforeFirst,
    encode: (events) => encodeChunk(projected.push(events)),
    encodeEnd(events) {
      const last = projected.push(events);
      const end = projected.end(leaving.aborted || cutOff.aborted);
      return end === null ? null : last + end;
    },
  };
}
