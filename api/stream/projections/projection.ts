import type { RunEvent } from "../../../shared/schemas/run-event.ts";

/** A run's stream in the words of another protocol. */
export type Projection = {
  /** Beside those of every stream. */
  headers: Readonly<Record<string, string>>;
  /** No Server-Sent Events but the text alone: no ids, no pings. */
  plain: boolean;
  start(): Machine;
};

/**
 * Is given a run's events, each once and in order, the first one first, and is as pure as that: the same events give the
 * same messages. So a stream is resumed by giving it all of them and sending what is behind the cursor.
 */
export type Machine = {
  /** An event's messages: complete Server-Sent Events without an id, or pieces of the plain text. Often none. */
  push(event: RunEvent): string[];
  /** What closes the stream of a run that has ended or waits for a person. */
  end(): string[];
};

export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Failed = EventOf<"run.error" | "run.timeout" | "run.cancelled" | "run.expired">;
type Handlers<M> = { [T in RunEvent["type"]]?: (event: EventOf<T>) => M };

/** Gives an event to the handler of its type, else to `otherwise`: also one of a type that this release doesn't know. */
export function dispatch<M>(handlers: Handlers<M>, event: RunEvent, otherwise: (event: RunEvent) => M): M {
  const handler = handlers[event.type] as ((event: RunEvent) => M) | undefined;
  return handler ? handler(event) : otherwise(event);
}

/** One handler for each end but success. */
export const onFailure = <M>(fail: (event: Failed) => M) => ({
  "run.error": fail,
  "run.timeout": fail,
  "run.cancelled": fail,
  "run.expired": fail,
});
