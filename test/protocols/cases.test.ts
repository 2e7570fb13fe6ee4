import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { call, execute, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { agUi } from "./clients/ag-ui.ts";
import { aiSdk } from "./clients/ai-sdk.ts";
import { openaiChat } from "./clients/openai-chat.ts";
import { openaiResponses } from "./clients/openai-responses.ts";
import type { ProtocolClient } from "./protocol-client.ts";

/** One row a protocol. */
const clients: ProtocolClient[] = [openaiChat, openaiResponses, aiSdk, agUi];

const admin = randomBytes(32).toString("hex");
const stack = await useTestStack();
const [{ url }, guarded] = await Promise.all([
  stack.startService(),
  stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, AGENT_QUEUE_LIMIT: "1" }),
]);

/** Says how often it was talked to; on request uses a tool, asks, counts or stays. */
const agent = await makeAgent(
  url,
  py`
    import time
    def main(input, context):
        prompt = input["prompt"]
        said = [m["content"] for m in context.history if m["role"] == "user"]
        if prompt == "count":
            for n in range(40):
                yield f"{n} "
                time.sleep(0.005)
            time.sleep(1)
        elif prompt == "stay":
            yield "staying"
            time.sleep(60)
        elif prompt == "search":
            yield "Let me look. "
            with context.tool("search", {"q": "sky"}) as call:
                call.result = {"sky": "blue"}
            yield "It is blue."
        elif prompt == "ask":
            yield "One moment. "
            name = context.interrupt("Your name?", response_schema={"type": "string"})
            yield f"Hello, {name}."
        else:
            yield f"{len(said) + 1}: {prompt}"
  `,
);
const connect = (client: ProtocolClient, more: object = {}) =>
  client.connect({ url, agent, key: "none", fetch, ...more });

describe.each(clients.map((client) => [client.protocol, client] as const))("%s", (_name, client) => {
  test("a turn is the agent's text", async () => {
    expect(await connect(client).say("hi")).toEqual({ text: "1: hi", tools: [], question: null });
  });

  test("five turns are one conversation", async () => {
    const conversation = connect(client);
    for (const n of [1, 2, 3, 4, 5]) expect((await conversation.say(`turn ${n}`)).text).toBe(`${n}: turn ${n}`);
  });

  test("a tool that the agent used is shown with what it gave", async () => {
    expect(await connect(client).say("search")).toEqual({
      text: "Let me look. It is blue.",
      tools: [{ name: "search", result: { sky: "blue" } }],
      question: null,
    });
  });

  test("a question is answered by the library's own call, and only what follows is said", async () => {
    const conversation = connect(client);
    expect(await conversation.say("ask")).toMatchObject({ text: "One moment. ", question: "Your name?" });
    expect(await conversation.answer("Ada")).toMatchObject({ text: "Hello, Ada.", question: null });
  });

  test.skipIf(client.without?.cuts)("a stream that is lost after every tenth event is read whole", async () => {
    const { text, cuts } = await connect(client).sayOverCuts("count");
    expect(text).toBe(Array.from({ length: 40 }, (_, n) => `${n} `).join(""));
    expect(cuts).toBeGreaterThan(2);
  });

  test("a turn that is stopped is cancelled", async () => {
    await connect(client).stop("stay");
    const newest = async () =>
      ((await call(url, "GET", `/v1/runs?agent_id=${agent}&limit=1`)).body["data"] as { status: string }[])[0]?.status;
    await expect.poll(newest, { timeout: 15_000 }).toBe("cancelled");
  });

  test("an unknown agent, a wrong key and a full queue are errors of the library", async () => {
    const { unknownAgent, wrongKey, fullQueue } = client.refusals;
    // AG-UI's library also prints what it throws.
    const muted = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => muted.mockRestore());
    await expect(connect(client, { agent: "nobody" }).say("hi")).rejects.toMatchObject(unknownAgent);
    await expect(connect(client, { url: guarded.url, key: "rf_wrong" }).say("hi")).rejects.toMatchObject(wrongKey);
    const busy = await makeBusyAgent();
    await expect(connect(client, { url: guarded.url, key: admin, agent: busy }).say("hi")).rejects.toMatchObject(
      fullQueue,
    );
  });
});

/** An agent with a run that runs and one that waits, which fills its queue. */
async function makeBusyAgent(): Promise<string> {
  const source = py`
    import time
    def main(input): time.sleep(30)
  `;
  const busy = await makeAgent(url, source, { concurrency: 1 });
  for (const status of ["running", "queued"]) {
    const { id } = (await (
      await execute(url, { agent_id: busy, version: "current" }, { prefer: "respond-async" })
    ).json()) as { id: string };
    await expect
      .poll(async () => (await call(url, "GET", `/v1/runs/${id}`)).body["status"], { timeout: 15_000 })
      .toBe(status);
  }
  return busy;
}
