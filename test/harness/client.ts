import { createParser } from "eventsource-parser";
import { faultOfAnswer, findOperation } from "../contract/openapi-document.ts";

export type SentEvent = { id: string; event: string; data: Record<string, unknown> };
export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

/** JSON in, JSON out. Throws when the answer isn't what the OpenAPI document says. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...init,
  });
  const text = await response.text();
  const operation = findOperation(method, path);
  const { status } = response;
  const fault =
    operation && faultOfAnswer(operation, { status, type: response.headers.get("content-type") ?? "", text });
  if (fault) throw new Error(`${method} ${path} answered ${status}, which isn't as documented: ${fault}\n${text}`);
  return { status, body: text ? JSON.parse(text) : {}, headers: response.headers };
}

/** Reads a Server-Sent Events answer until it ends, or until `enough` says so. A cut connection just ends it. */
export async function readEvents(
  response: Response,
  enough: (event: SentEvent) => boolean = () => false,
): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  let done = false;
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (done) return;
      events.push({ id: id ?? "", event: event ?? "", data: JSON.parse(data) });
      done = enough(events.at(-1) as SentEvent);
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (done) break;
    }
  } catch {
    // The server went; the caller resumes.
  }
  return events;
}

/** POSTs /v1/execute. */
export function execute(
  url: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  query = "",
): Promise<Response> {
  return fetch(`${url}/v1/execute${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Opens a run's stream after an event id. */
export const resume = (url: string, runId: string, after?: string): Promise<Response> =>
  fetch(`${url}/v1/runs/${runId}/stream`, { headers: after ? { "last-event-id": after } : {} });

/** Makes an agent of one Python source and gives its id. */
export async function makeAgent(url: string, source: string, config: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await call(url, "POST", "/v1/agents", {
    user_id: "tester",
    name: "agent",
    config: { source, ...config },
  });
  if (status !== 201) throw new Error(`agent: ${status} ${JSON.stringify(body)}`);
  return String(body["id"]);
}

/** Answers an interrupted run, and waits for nothing. */
export const answerRun = (url: string, runId: string, body: Record<string, unknown>): Promise<Answer> =>
  call(url, "POST", `/v1/runs/${runId}/resume`, body, { prefer: "respond-async" });
