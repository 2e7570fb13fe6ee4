import { readFileSync } from "node:fs";
import { answerRun, call, execute, makeAgent, readEvents, resume } from "./client.ts";
import { openTestStack } from "./test-stack.ts";
import { py } from "./py.ts";

/** A stack with agents, by the ways in which their runs go. */
export type Talkers = {
  url: string;
  /** Says and does a bit of everything; its input may say `name`, `fail` or `wait`. */
  talker: string;
  /** Gives a result and says nothing. */
  mute: string;
  /** POSTs /v1/execute in a format; the run's id may be chosen. */
  start(format: string, agent_id: string, input_payload?: object, run_id?: string): Promise<Response>;
  /** GETs a run's stream in a format. */
  streamOf(format: string, runId: string, headers?: Record<string, string>): Promise<Response>;
  /** A run of the talker that has succeeded: its id. */
  talked(): Promise<string>;
  /** A run of the talker that was cancelled at its end: its id. */
  cancelled(): Promise<string>;
  /** A run that was asked something, started again with the answer, and waits for a second one: its id. */
  askedTwice(): Promise<string>;
  close(): Promise<void>;
};

export async function openTalkers(): Promise<Talkers> {
  const stack = await openTestStack();
  const { url } = await stack.start("api");
  // Long enough that only what a test does makes a run start again.
  await stack.start("worker", { LEASE_MS: "20000" });
  const talker = await makeAgent(url, sourceOf("talker"));
  // Whose answers nothing checks, within a time limit at that: it isn't what is tested.
  const asker = await makeAgent(url, sourceOf("asker").replace(', response_schema={"type": "string"}', ""));
  const mute = await makeAgent(
    url,
    py`
      def main(input):
          return 'only a result'
    `,
  );

  return {
    url,
    talker,
    mute,
    close: () => stack.close(),
    start: (format, agent_id, input_payload = {}, run_id) =>
      execute(url, { agent_id, version: "current", input_payload, run_id }, {}, `?format=${format}`),
    streamOf: (format, runId, headers = {}) => fetch(`${url}/v1/runs/${runId}/stream?format=${format}`, { headers }),
    async talked() {
      const events = await readEvents(await execute(url, { agent_id: talker, version: "current" }));
      must(events.at(-1)?.event === "run.success", "success");
      return String(events[0]?.data["run_id"]);
    },
    async cancelled() {
      const response = await execute(url, { agent_id: talker, version: "current", input_payload: { wait: true } });
      const runId = response.headers.get("x-run-id") ?? "";
      await readEvents(response, ({ data }) => typeof data["content"] === "object");
      must((await call(url, "POST", `/v1/runs/${runId}/cancel`)).status === 200, "cancelled");
      return runId;
    },
    async askedTwice() {
      const events = await readEvents(await execute(url, { agent_id: asker, version: "current" }));
      const runId = String(events[0]?.data["run_id"]);
      must((await answerRun(url, runId, { response: "Ada" })).status === 202, "resumed");
      const again = await readEvents(await resume(url, runId, events.at(-1)?.id));
      must(again.at(-1)?.event === "run.interrupted", "interrupted again");
      return runId;
    },
  };
}

const sourceOf = (name: string) => readFileSync(new URL(`../agents/${name}.py`, import.meta.url), "utf8");

function must(is: boolean, what: string): void {
  if (!is) throw new Error(`The run is not ${what}.`);
}
