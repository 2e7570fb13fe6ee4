import type { ServerResponse } from "node:http";
import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { answer, openReceiver } from "../harness/receiver.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const deliveries = 50;
const atOncePerHost = 8;

const stack = await useTestStack();
const { url } = await stack.startService({ worker: { CALLBACK_SCHEDULE_SCALE: "0.00001" } });
const [dead, well] = [await openReceiver("127.0.0.2"), await openReceiver("127.0.0.3")];
afterAll(() => Promise.all([dead.close(), well.close()]));

/** Milliseconds from a run's end to its callback at the receiver that is well. */
async function timeOfCallback(): Promise<number> {
  const before = well.got.length;
  const agent_id = await makeAgent(url, "def main(i): return 1");
  const completion_callback_url = `${well.url}/hook`;
  await readEvents(await execute(url, { agent_id, version: "current", completion_callback_url }));
  const endedAt = performance.now();
  await waitFor(() => well.got.length > before, 30_000);
  return performance.now() - endedAt;
}

test("50 deliveries to a receiver that hangs don't delay another host's; when it recovers, it gets each of them", async () => {
  const held = new Set<ServerResponse>();
  let mostLater = 0;
  dead.react((res) => {
    held.add(res);
    if (dead.got.length > atOncePerHost) mostLater = Math.max(mostLater, held.size);
    res.on("close", () => held.delete(res));
  });
  const made = await call(url, "POST", "/v1/webhooks", { user_id: "u", url: dead.url, events: ["run.expired"] });
  const path = `/v1/webhooks/${String(made.body["id"])}`;
  const owed: string[] = [];
  while (owed.length < deliveries) owed.push(String((await call(url, "POST", `${path}/test`)).body["id"]));

  await waitFor(() => held.size === atOncePerHost, 30_000);
  expect(dead.got.length).toBe(atOncePerHost);
  expect(await timeOfCallback()).toBeLessThan(3_000);
  // They run out of time after 15 s; from then on it gets one at a time, and the others nothing later.
  await waitFor(() => dead.got.length > atOncePerHost, 60_000);
  expect(await timeOfCallback()).toBeLessThan(3_000);
  // One; the end of the one before may be seen a moment late.
  expect(mostLater).toBeLessThanOrEqual(2);

  dead.react(answer(204));
  for (const res of held) res.writeHead(204).end();
  const delivered = await waitFor(async () => {
    const { body } = await call(url, "GET", `${path}/deliveries?status=delivered&limit=100`);
    const data = body["data"] as { id: string }[];
    return data.length === deliveries ? data : null;
  }, 60_000);
  expect(delivered.map(({ id }) => id).toSorted()).toEqual(owed.toSorted());
  expect(new Set(dead.got.map(({ headers }) => headers["webhook-id"])).size).toBe(deliveries);
}, 150_000);
