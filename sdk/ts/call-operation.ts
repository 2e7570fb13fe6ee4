import { operations, type Resources } from "./generated/operations.ts";
import type { RunEvent } from "./generated/types.ts";
import { type AnsweredPage, Pages } from "./pages.ts";
import { pathSegment } from "./path-segment.ts";
import { randomId } from "./random-id.ts";
import { readStream, type StreamSource } from "./read-stream.ts";
import { type CallOptions, type Request, readJson, send, sendOnce, type Service } from "./request.ts";
import { runSource } from "./run-source.ts";

type Query = Record<string, unknown>;

/**
 * Makes a method of each operation of the table. An entry is a method, a path and words: `body` and `query` say what is given
 * after the values of the path, `keyed` that an Idempotency-Key is taken, `async` that the answer is a stream unless it is
 * asked not to be, and `page`, `stream` and `raw` what the answer is, if not JSON.
 */
export function makeResources(service: Service): Resources {
  const resources = Object.entries(operations).map(([resource, entries]) => [
    resource,
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, makeMethod(service, entry)])),
  ]);
  return Object.fromEntries(resources) as Resources;
}

function makeMethod(service: Service, entry: string): (...given: unknown[]) => unknown {
  const [method = "", path = "", ...words] = entry.split(" ");
  const names = path.match(/\{\w+\}/g) ?? [];
  return (...given) => {
    const values = given.splice(0, names.length);
    const body = words.includes("body") ? given.shift() : undefined;
    const query = (words.includes("query") ? given.shift() : undefined) as Query | undefined;
    const options = (given.shift() ?? {}) as CallOptions;
    const isKeyed = words.includes("keyed");
    const request: Request = {
      method,
      path: names.reduce((filled, name, at) => filled.replace(name, pathSegment(name, values[at])), path),
      query,
      body,
      headers: {
        ...(words.includes("async") ? { prefer: "respond-async" } : {}),
        ...(isKeyed ? { "idempotency-key": options.idempotencyKey ?? randomId() } : {}),
        ...options.headers,
      },
      signal: options.signal,
      // A patch says what is to be, as PUT and DELETE do.
      isRepeatable: method !== "POST" || isKeyed,
    };
    if (words.includes("page")) return pages(service, request);
    if (words.includes("stream")) return stream(service, request, path.startsWith("/v1/runs/{"));
    return words.includes("raw") ? send(service, request) : readJson(service, request);
  };
}

function pages(service: Service, request: Request): Pages<unknown> {
  return new Pages((after) =>
    readJson<AnsweredPage<unknown>>(
      service,
      after === undefined ? request : { ...request, query: { ...request.query, after } },
    ),
  );
}

async function* stream(service: Service, request: Request, ofRun: boolean): AsyncGenerator<unknown> {
  const { after, ...query } = request.query ?? {};
  const source: StreamSource<RunEvent> = {
    ...(ofRun ? runSource : { isEnd: () => false }),
    open: (last, signal) =>
      sendOnce(service, {
        ...request,
        query,
        signal,
        headers: {
          ...request.headers,
          accept: "text/event-stream",
          ...(last === undefined ? {} : { "last-event-id": last }),
        },
      }),
  };
  const start = { after: typeof after === "string" ? after : undefined, signal: request.signal };
  for await (const { event } of readStream(source, start)) yield event;
}
