import { expect, test } from "vitest";
import { call, execute, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
// Four processes of threads at a time.
const { url } = await stack.startService({ worker: { WORKER_SLOTS: "1" } });

const source = py`
  words = []
  def main(input, context):
      words.append(1)
      return {"seen": len(words)}
`;

async function makeAgent(user_id: string): Promise<string> {
  const { body } = await call(url, "POST", "/v1/agents", { user_id, name: "counter", config: { source } });
  return String(body["id"]);
}

/** Gives how many messages the thread's process has seen. */
async function say(agent_id: string, thread_id: string): Promise<unknown> {
  const body = { agent_id, version: "current", lifecycle: "interactive", thread_id, input_payload: {} };
  const last = (await readEvents(await execute(url, body))).at(-1)?.data["result_content"];
  return (last as { seen?: number } | null | undefined)?.seen;
}

test("a user who opens thread after thread ends their own processes, and none of another user's", async () => {
  const [ada, eve] = [await makeAgent("ada"), await makeAgent("eve")];
  for (const [id, agent_id, user_id] of [
    ...["a1", "a2"].map((name) => [name, ada, "ada"]),
    ...["e1", "e2", "e3", "e4", "e5", "e6"].map((name) => [name, eve, "eve"]),
  ])
    expect((await call(url, "POST", "/v1/threads", { id, agent_id, user_id })).status).toBe(201);
  expect(await say(ada, "a1")).toBe(1);
  expect(await say(ada, "a2")).toBe(1);
  for (const thread of ["e1", "e2", "e3", "e4", "e5", "e6"]) expect(await say(eve, thread)).toBe(1);
  expect(await say(ada, "a1")).toBe(2);
  expect(await say(ada, "a2")).toBe(2);
  expect(await say(eve, "e6")).toBe(2);
  expect(await say(eve, "e1")).toBe(1);
});
