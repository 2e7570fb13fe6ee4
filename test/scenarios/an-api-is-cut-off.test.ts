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
  await waitFor(async () => (await fetch(`${cut.member.url}/health/ready`)).ok, 20_000);
  const again = await waitFor(async () => {
    const answer = await resume(cut.member.url, runId, last);
    return answer.ok ? answer : null;
  });
  expect((await readEvents(again, () => true))[0]?.id).toBe(events[0]?.id);
  await call(url, "POST", `/v1/runs/${runId}/cancel`);
  await cut.close();
}, 60_000);
