import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

type Answer = number | "cut" | "not taken" | "gone";

/** One answer over a connection that is kept. `not taken`: the connection was closed before it brought the request. */
function get(agent: Agent, address: string): Promise<Answer> {
  return new Promise((resolve) => {
    const req = request(address, { agent }, (res) => {
      res.resume();
      res.once("end", () => resolve(res.statusCode ?? 0));
      res.once("error", () => resolve("cut"));
    });
    req.once("error", (error: Error & { code?: string }) =>
      resolve(error.code === "ECONNREFUSED" ? "gone" : "not taken"),
    );
    req.end();
  });
}

test("SIGTERM of an API: every request that it took is answered, none by a 5xx", async () => {
  const leaving = await stack.start("api");
  const agent = new Agent({ keepAlive: true });
  const answers: Answer[] = [];
  const client = async (): Promise<void> => {
    for (;;) {
      const answer = await get(agent, `${leaving.url}/v1/agents?limit=50`);
      if (answer === "gone") return;
      if (answer !== "not taken") answers.push(answer);
    }
  };
  const clients = Promise.all(Array.from({ length: 12 }, client));
  await waitFor(() => answers.length > 50);
  await leaving.stop("SIGTERM");
  await clients;
  expect(new Set(answers)).toEqual(new Set([200]));
  agent.destroy();
});

test("a leaving API answers OpenAI's requests during its notice; then a completion's run is cancelled, and a response is told as it stands", async () => {
  const leaving = await stack.openApi({ SHUTDOWN_NOTICE_MS: "10000" });
  const source = py`
    import time
    def main(input):
        time.sleep(60 if input["prompt"] == "wait" else 0)
        return "done"
  `;
  const model = await makeAgent(url, source);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${leaving.url}/openai/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, ...body }),
    });
  const complete = (content: string) => post("chat/completions", { messages: [{ role: "user", content }] });
  const statusesOf = async () => {
    const { body } = await call(url, "GET", `/v1/runs?agent_id=${model}&order=asc`);
    return (body["data"] as { status: string }[]).map(({ status }) => status);
  };
  const completion = complete("wait");
  await waitFor(async () => (await statusesOf())[0] === "running");
  const response = post("responses", { input: "wait" });
  await waitFor(async () => (await statusesOf())[1] === "running");
  const closed = leaving.close();
  await waitFor(async () => (await fetch(`${leaving.url}/health/ready`)).status === 503);
  expect((await complete("hi")).status).toBe(200);
  await closed;
  expect((await completion).status).toBe(503);
  expect(await (await response).json()).toMatchObject({ status: "in_progress" });
  await waitFor(async () => (await statusesOf())[0] === "cancelled");
  expect(await statusesOf()).toEqual(["cancelled", "running", "success"]);
  const { body } = await call(url, "GET", `/v1/runs?agent_id=${model}&status=running`);
  for (const { id } of body["data"] as { id: string }[]) await call(url, "POST", `/v1/runs/${id}/cancel`);
}, 60_000);

test("SIGTERM of an API in mid-stream: the stream ends at once and is resumed elsewhere without a gap", async () => {
  const leaving = await stack.start("api");
  const source = py`
    import time
    def main(input):
        for i in range(20):
            yield i
            time.sleep(0.1)
  `;
  const agent_id = await makeAgent(url, source);
  const response = await execute(leaving.url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 4);
  await leaving.stop("SIGTERM");
  const before = await watching;
  expect(before.length).toBeGreaterThan(2);
  expect(before.at(-1)?.event).toBe("output.delta");
  const after = await readEvents(await resume(url, runId, before.at(-1)?.id));
  expect(after.at(-1)).toMatchObject({ event: "run.success" });
  expect([...before, ...after]).toEqual(await readEvents(await resume(url, runId)));
});
