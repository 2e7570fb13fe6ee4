import type { RunEvent } from "../../../shared/schemas/run-event.ts";

/** Translates a run's stream into another protocol. */
export type Projection = {
  /** Response headers besides those of every stream. */
  headers: Readonly<Record<string, string>>;
  /** True when the format is plain text instead of Server-Sent Events: it has no ids and no pings. */
  plain: boolean;
  /** True when clients take a clean end for the run's, so that a stream which can be resumed has to break off. */
  breaksOff?: true;
  start(): Machine;
};

/**
 * Is given each of a run's events once and in order, from the first one on. The same events give the same messages. So a stream
 * is resumed by giving the machine all events again and sending only the messages after the cursor.
 */
export type Machine = {
  /** Returns an event's messages, often none: complete Server-Sent Events without an id, or parts of the plain text. */
  push(event: RunEvent): string[];
  /** Returns the messages that close the stream of a run that has ended or waits for an answer. */
  end(): string[];
  /** Returns the messages of a stream that this process ends early. For protocols whose clients take a clean end for the run's. */
  leave?(): string[];
};

export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Failed = EventOf<"run.error" | "run.timeout" | "run.cancelled" | "run.expired">;
type Handlers<M> = { [T in RunEvent["type"]]?: (event: EventOf<T>) => M };

/** Calls the handler of the event's type. An event without a handler, such as one of a newer release, goes to `otherwise`. */
export function dispatch<M>(handlers: Handlers<M>, event: RunEvent, otherwise: (event: RunEvent) => M): M {
  const handler = handlers[event.type] as ((event: RunEvent) => M) | undefined;
  return handler ? handler(event) : otherwise(event);
}

/** Makes one handler serve all terminal events except success. */
export const onFailure = <M>(fail: (event: Failed) => M) => ({
  "run.error": fail,
  "run.timeout": fail,
  "run.cancelled": fail,
  "run.expired": fail,
});
