import { createParser } from "eventsource-parser";
import { RunfleetError, StreamLostError } from "./errors.ts";
import { isTransient } from "./request.ts";
import { retryAfter, retryDelay } from "./retry-delay.ts";
import { wait } from "./wait.ts";

/** An event, and the id to go on after. An event may have none. */
export type Message<Event> = { id: string | undefined; event: Event };

export type StreamSource<Event> = {
  /** Opens the stream after the event with this id. Undefined: where it begins. */
  open(after: string | undefined, signal: AbortSignal): Promise<Response>;
  /** True when no event follows this one. */
  isEnd(event: Event): boolean;
  /** Returns what the next message means after the last one. Left out: each message is the next one. */
  place?(last: string | undefined, message: Message<Event>): Place;
};

export type StreamOptions = { after?: string | undefined; signal?: AbortSignal | undefined };

/** The service sends a ping every 15 s. A connection on which nothing comes for so long is dead. */
const silenceMs = 45_000;
/** After several cuts it is longer, up to this time: a proxy may hold pings back. */
const longestSilenceMs = 180_000;
/** A connection on which something still comes after this time is a good one. */
const steadyMs = 10_000;
/** How long a stream is tried to be resumed, from when it was cut until the service answers with a stream again. */
const patienceMs = 300_000;
/** The same until the first such answer: perhaps nothing is there. */
const firstPatienceMs = 15_000;

/**
 * Yields the messages of a stream, each once and in order, whatever is cut. A stream ends by its last event, or by a 204; a
 * connection that ends otherwise was cut, even if it ended cleanly. It is resumed after the last message that was read.
 * What is not wanted yet is not read. Throws StreamLostError, and ApiError for what a repetition doesn't fix.
 */
export async function* readStream<Event>(
  source: StreamSource<Event>,
  { after, signal }: StreamOptions = {},
): AsyncGenerator<Message<Event>> {
  const cursor = createCursor(source, after);
  const patience = createPatience();
  for (;;) {
    const end = yield* readConnection(source, cursor, { patience, signal });
    if (end === "over") return;
    await patience.wait(end.failure, cursor.last(), signal);
  }
}

type Reading = { patience: Patience; signal: AbortSignal | undefined };

/** Yields what one connection brings. Returns how it ended: the stream is over, or the connection was cut. */
async function* readConnection<Event>(
  source: StreamSource<Event>,
  cursor: Cursor<Event>,
  { patience, signal }: Reading,
): AsyncGenerator<Message<Event>, "over" | { failure: unknown }> {
  const connection = connect(signal, patience.silence);
  try {
    const response = await connection.guard(() => source.open(cursor.last(), connection.signal));
    if (response.status === 204) return "over";
    if (isStream(response)) patience.noteAnswer();
    for await (const message of readMessages<Event>(response, connection, patience)) {
      const place = cursor.take(message);
      if (place === "repeated") continue;
      if (place === "hole") break;
      patience.renew();
      yield message;
      if (source.isEnd(message.event)) return "over";
    }
    return { failure: undefined };
  } catch (error) {
    signal?.throwIfAborted();
    if (!isCut(error)) throw error;
    return { failure: error };
  } finally {
    connection.close();
  }
}

/** False for what a proxy answers in the service's place. */
const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

/** Errors of this package say what they are; anything else comes of reading from a connection. */
const isCut = (error: unknown): boolean => !(error instanceof RunfleetError) || isTransient(error);

type Place = "next" | "repeated" | "hole";
type Cursor<Event> = { last(): string | undefined; take(message: Message<Event>): Place };

/** Knows the last message that was read. A hole is asked for once more; when it is still there, it is an error. */
function createCursor<Event>(source: StreamSource<Event>, after: string | undefined): Cursor<Event> {
  let last = after;
  let holeAfter: string | undefined | null = null;
  return {
    last: () => last,
    take(message) {
      const place = source.place?.(last, message) ?? "next";
      if (place === "hole") {
        if (holeAfter === last) throw new StreamLostError(`Events are missing after ${last}.`, last);
        holeAfter = last;
      }
      // As browsers do: an event without an id leaves the cursor where it is, and an empty one clears it.
      if (place === "next" && message.id !== undefined) last = message.id === "" ? undefined : message.id;
      return place;
    },
  };
}

type Patience = {
  /** Returns how long a connection may be silent. */
  silence(this: void): number;
  setRetry(this: void, milliseconds: number): void;
  /** The service has answered with a stream. A quiet stream is no lost one. */
  noteAnswer(): void;
  /** Something has come, if only a ping. What comes with the answer doesn't tell that the connection stays. */
  noteBytes(): void;
  /** A message has come. */
  renew(): void;
  /** Waits until the next try. Throws StreamLostError when the stream was cut for too long. */
  wait(failure: unknown, last: string | undefined, signal: AbortSignal | undefined): Promise<void>;
};

function createPatience(): Patience {
  /** Cuts since the last message, or since the last ping of a good connection. */
  let failures = 0;
  let answeredAt: number | null = null;
  let cutAt: number | null = null;
  let retryMs = 0;
  let hasBegun = false;
  return {
    silence: () => Math.min(longestSilenceMs, silenceMs * Math.max(1, failures)),
    setRetry: (milliseconds) => void (retryMs = milliseconds),
    noteAnswer() {
      answeredAt = Date.now();
      cutAt = null;
      hasBegun = true;
    },
    noteBytes() {
      if (answeredAt !== null && Date.now() - answeredAt > steadyMs) failures = 0;
    },
    renew: () => void (failures = 0),
    async wait(failure, last, signal) {
      answeredAt = null;
      cutAt ??= Date.now();
      const cutFor = Date.now() - cutAt;
      if (!hasBegun && failure instanceof Error && cutFor > firstPatienceMs) throw failure;
      if (cutFor > patienceMs) throw new StreamLostError("The stream was cut and could not be resumed.", last, failure);
      // The first try is at once: most cuts are of one connection. What the service asks for holds when that was in vain.
      await wait(Math.max(retryDelay(failures, failures === 0 ? 0 : retryMs), retryAfter(failure)), signal);
      failures += 1;
    },
  };
}

type Connection = {
  signal: AbortSignal;
  /** Waits for a part of the answer. A connection that is silent for too long is aborted. */
  guard<T>(part: () => Promise<T>): Promise<T>;
  close(): void;
};

function connect(outer: AbortSignal | undefined, silence: () => number): Connection {
  const controller = new AbortController();
  return {
    signal: outer ? AbortSignal.any([outer, controller.signal]) : controller.signal,
    async guard(part) {
      const timer = setTimeout(() => controller.abort(), silence());
      try {
        return await part();
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => controller.abort(),
  };
}

async function* readMessages<Event>(
  response: Response,
  connection: Connection,
  patience: Patience,
): AsyncGenerator<Message<Event>> {
  if (!response.body) return;
  const ready: { id: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => ready.push({ id, data }), onRetry: patience.setRetry });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await connection.guard(() => reader.read());
      if (done) return;
      patience.noteBytes();
      parser.feed(decoder.decode(value, { stream: true }));
      for (const { id, data } of ready.splice(0)) yield { id, event: parse<Event>(data) };
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parse<Event>(data: string): Event {
  try {
    return JSON.parse(data) as Event;
  } catch (error) {
    throw new RunfleetError(`The service sent an event that is no JSON: ${data.slice(0, 200)}`, { cause: error });
  }
}
