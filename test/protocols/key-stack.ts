import { randomBytes } from "node:crypto";
import { call } from "../harness/client.ts";
import { type TestStack, useTestStack } from "../harness/test-stack.ts";
import { weatherAgent } from "./weather-agent.ts";

/** A service with keys, two APIs of it, a user and an agent. */
export type KeyStack = {
  stack: TestStack;
  url: string;
  /** Another API process of the same service, which takes two waiting runs of an agent at most. */
  other: string;
  key: string;
  agent_id: string;
  /** Makes a key of a user. */
  makeKey: (user_id: string, scopes: string[]) => Promise<string>;
};

export async function useKeyStack(): Promise<KeyStack> {
  const stack = await useTestStack();
  const admin = randomBytes(32).toString("hex");
  const settings = { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin };
  const [{ url }, { url: other }] = await Promise.all([
    stack.openApi(settings),
    stack.openApi({ ...settings, AGENT_QUEUE_LIMIT: "2" }),
    stack.openWorker({ LEASE_MS: "20000" }),
  ]);
  const asAdmin = { authorization: `Bearer ${admin}` };
  const post = async (path: string, body: object) => {
    const answer = await call(url, "POST", path, body, asAdmin);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const makeKey = async (user_id: string, scopes: string[]) =>
    String((await post("/v1/users/me/api-keys", { user_id, name: "key", scopes }))["key"]);
  await post("/v1/agents", {
    user_id: "ada",
    id: "weather",
    name: "Weather",
    metadata: { description: "Tells the weather" },
    config: { source: weatherAgent },
  });
  return { stack, url, other, key: await makeKey("ada", ["*"]), agent_id: "weather", makeKey };
}
