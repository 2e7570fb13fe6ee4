import { parseEventId } from "../../shared/domain/run/event-id.ts";
import { voidedBy } from "../../shared/domain/run/void-events.ts";
import { call, execute, readEvents, type SentEvent } from "./client.ts";

/** What a test does with runs that wait, at the service at `url`. */
export const waitingRuns = (url: string) => ({
  begin: async (agent_id: string, input_payload: Record<string, unknown> = {}) => {
    const response = await execute(url, { agent_id, version: "current", input_payload });
    const run_id = response.headers.get("x-run-id") ?? "";
    return { run_id, events: readEvents(response) };
  },
  signal: (run_id: string, name: string, body: unknown = {}) =>
    call(url, "POST", `/v1/runs/${run_id}/signals/${name}`, body),
  /** Waits until a run's stream has told so many events of a type. */
  told: async (run_id: string, type: string, count: number): Promise<SentEvent[]> => {
    let left = count;
    const stream = await fetch(`${url}/v1/runs/${run_id}/stream`);
    return readEvents(stream, ({ event }) => event === type && (left -= 1) === 0);
  },
});

/** The text that stands at the end, as a client shows it. */
export function shownOf(events: readonly SentEvent[]): string {
  let said: SentEvent[] = [];
  for (const event of events) {
    if (event.event === "run.started") {
      const isVoid = voidedBy(event.data);
      said = said.filter(({ id }) => !isVoid(parseEventId(id) ?? { attempt: 0, seq: 0 }));
    }
    if (event.event === "output.delta") said.push(event);
  }
  return said.map(({ data }) => String(data["content"])).join("");
}

/** A run's result, or else its error. */
export const resultOf = (events: readonly SentEvent[]) =>
  events.at(-1)?.data["result_content"] ?? events.at(-1)?.data["error"] ?? null;
