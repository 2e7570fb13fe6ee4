import { randomBytes } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, expect, vi } from "vitest";
import { openBrowser } from "../../dev/browser.ts";
import { call, execute } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { py } from "../harness/py.ts";
import { type Members, type TestStack, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

export type ConsoleWorld = {
  stack: TestStack;
  /** How its API is started. */
  env: Record<string, string>;
  service: Members;
  url: string;
  /** Of the user `ada`, who has all that is made here; and the header that says it. */
  key: string;
  ada: { authorization: string };
  browser: Browser;
  publish: (id: string, source: string, config?: Record<string, unknown>) => Promise<void>;
  /** Starts a run of an agent's current version, and returns its id. */
  start: (agent_id: string, input_payload?: object, more?: object) => Promise<string>;
  statusOf: (id: string) => Promise<unknown>;
  /** Resolves when a run has come to a status. */
  reach: (id: string, status: string) => Promise<unknown>;
};

/** A service whose API serves the console, with agents, a thread and a schedule to look at, and a browser, until the file's end. */
export async function useConsole(): Promise<ConsoleWorld> {
  // The first test may have to fetch a browser.
  vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });
  const stack = await useTestStack();
  const env = { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: randomBytes(32).toString("hex") };
  const [service, browser] = await Promise.all([stack.startMembers({ api: env }), openBrowser()]);
  afterAll(() => browser.close());
  const { url } = service;
  const key = await makeKey(stack, "ada");
  const ada = { authorization: `Bearer ${key}` };
  const post = (path: string, body: object) => call(url, "POST", path, body, ada);

  const statusOf = async (id: string): Promise<unknown> =>
    (await call(url, "GET", `/v1/runs/${id}`, undefined, ada)).body["status"];
  const world: ConsoleWorld = {
    ...{ stack, env, service, url, key, ada, browser, statusOf },
    async publish(id, source, config = {}) {
      const { status } = await post("/v1/agents", { user_id: "ada", id, name: id, config: { source, ...config } });
      expect(status).toBe(201);
    },
    async start(agent_id, input_payload = {}, more = {}) {
      const body = { agent_id, version: "current", input_payload, ...more };
      const answer = await execute(url, body, { ...ada, prefer: "respond-async" });
      return ((await answer.json()) as { id: string }).id;
    },
    reach: (id, status) => waitFor(async () => (await statusOf(id)) === status, 30_000),
  };
  for (const [id, source, config] of agents) await world.publish(id, source, config);
  const said = await world.start("talk", { message: "one" }, { thread_id: "chat-1" });
  const daily = { agent_id: "greeter", version: "current", name: "Each morning", schedule: "0 6 * * *" };
  await post("/v1/jobs", { ...daily, input_payload: { name: "Dawn" } });
  await world.reach(said, "success");
  return world;
}

const input_schema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", title: "Your name" }, times: { type: "integer", title: "Times", maximum: 3 } },
};

const agents: [id: string, source: string, config?: Record<string, unknown>][] = [
  [
    "greeter",
    py`
      def main(name, times=1):
          yield f"Hello {name}, "
          return {"greeted": times}
    `,
    { input_schema },
  ],
  [
    "asker",
    py`
      from runfleet import interrupt
      def main(order: str):
          answer = interrupt(f"Refund {order}?", response_schema={"type": "object", "required": ["approved"], "properties": {"approved": {"type": "boolean", "title": "Pay it back?"}}})
          return {"paid": answer["approved"]}
    `,
  ],
  [
    "twice",
    py`
      def main(context):
          with context.tool("search", {"q": 1}) as found:
              found.result = 1
          if context.attempt == 1:
              yield "a void beginning"
              raise RuntimeError("not yet")
          yield "what stands"
    `,
    { retry: { max_attempts: 2, delay_ms: 1 } },
  ],
  [
    "counter",
    py`
      import time
      def main(n=1000, pause=0.05):
          for i in range(n):
              yield f"[{i}]"
              time.sleep(pause)
    `,
  ],
  [
    "talk",
    py`
      def main(message: str, context):
          context.save_state({"heard": message})
          yield f"You said {message}."
    `,
  ],
];
