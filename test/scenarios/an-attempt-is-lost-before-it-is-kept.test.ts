import { expect, onTestFinished, test } from "vitest";
import { startBehindProxies } from "../harness/behind-proxies.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const lease = { LEASE_MS: "3000" };
const stack = await useTestStack();

test("what only Redis has of a lost attempt is told while the next one is at work, also by an API that can't reach Redis", async () => {
  const [{ url }, cutOff, victim] = await Promise.all([
    stack.openApi(),
    startBehindProxies(stack, "api"),
    startBehindProxies(stack, "worker", lease),
  ]);
  onTestFinished(() => Promise.all([cutOff.close(), victim.close()]).then(() => undefined));
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input, context):
          for i in range(3):
              yield [context.attempt, i]
          time.sleep(600)
    `,
  );
  const neverWritten = victim.postgres.silenceAt("append-transcript", "before");
  const watching = await execute(url, { agent_id, version: "current" });
  const runId = watching.headers.get("x-run-id") ?? "";
  const watched = readEvents(watching);
  await neverWritten;
  const lastSent = () => stack.redis.xrevrange(`${stack.prefix}run:${runId}`, "+", "-", "COUNT", 1);
  await waitFor(async () => (await lastSent())[0]?.[0] === "1-4");
  await victim.member.stop("SIGKILL");
  const other = await stack.start("worker", lease);
  onTestFinished(() => other.stop("SIGKILL").then(() => undefined));
  const isStored = async (): Promise<boolean> =>
    (await stack.sql.query("SELECT 1 FROM transcript_chunks WHERE run_id = $1 AND attempt = 2", [runId])).rowCount !==
    0;
  await waitFor(isStored, 30_000);
  await cutOff.redis.close();
  const late = readEvents(await resume(cutOff.member.url, runId), (event) => event.id === "2-4");
  await expect(late).resolves.toHaveLength(9);
  await call(url, "POST", `/v1/runs/${runId}/cancel`);
  const seen = await watched;
  expect(seen.map(({ id }) => id)).toEqual(["0-1", "1-1", "1-2", "1-3", "1-4", "2-1", "2-2", "2-3", "2-4", "2-5"]);
  expect(await late).toEqual(seen.slice(0, 9));
}, 60_000);
