import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startBehindProxies } from "../harness/behind-proxies.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();

const source = py`
  import time
  def main(input):
      for i in range(1000):
          yield i
          time.sleep(0.1)
`;

test("an API without one store keeps its streams; without both it ends them and says when to come back, and another API goes on", async () => {
  const { url } = await stack.startService();
  const cut = await startBehindProxies(stack, "api");
  const agent_id = await makeAgent(url, source);
  const response = await execute(cut.member.url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const news = await fetch(`${cut.member.url}/v1/notifications/stream?user_id=tester`);
  const bodies = Promise.all([response, news].map((one) => one.text()));
  const post = (path: string, body: object): Promise<Response> =>
    fetch(cut.member.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify(body),
    });
  const completion = post("/openai/v1/chat/completions", {
    model: agent_id,
    messages: [{ role: "user", content: "" }],
  });
  const said = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] };
  const sent = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message: said } };
  const task = (await post(`/a2a/${agent_id}`, sent)).text().then(
    () => "whole",
    () => "broken off",
  );
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 4);

  cut.redis.swallow();
  const ended = bodies.then(() => "ended");
  expect(await Promise.race([ended, sleep(8_000, "open")])).toBe("open");
  cut.postgres.swallow();
  expect(await Promise.race([ended, sleep(15_000, "open")])).toBe("ended");
  const [run = "", notifications = ""] = await bodies;
  expect((await fetch(`${cut.member.url}/health/ready`)).status).toBe(503);
  // The last of the two is of the end: sooner than the one of the start, and never at once.
  for (const text of [run, notifications]) {
    const waits = [...text.matchAll(/^retry: (\d+)$/gm)].map(([, ms]) => Number(ms));
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(2_000);
    expect(waits[1]).toBeGreaterThanOrEqual(100);
    expect(waits[1]).toBeLessThanOrEqual(2_000);
  }
  const last = [...run.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? "";
  const events = await readEvents(await resume(url, runId, last), () => true);
  expect(events[0]?.id).toBe(last.replace(/\d+$/, (seq) => String(Number(seq) + 1)));

  cut.redis.heal();
  cut.postgres.heal();
  // What would be taken for the whole is no answer.
  expect([(await completion).status, await task]).toEqual([503, "broken off"]);
  await waitFor(async () => (await fetch(`${cut.member.url}/health/ready`)).ok, 20_000);
  const again = await waitFor(async () => {
    const answer = await resume(cut.member.url, runId, last);
    return answer.ok ? answer : null;
  });
  expect((await readEvents(again, () => true))[0]?.id).toBe(events[0]?.id);
  await call(url, "POST", `/v1/runs/${runId}/cancel`);
  await cut.close();
}, 60_000);
