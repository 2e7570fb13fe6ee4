import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent } from "../harness/client.ts";
import { answer, openReceiver, type Received, type Receiver } from "../harness/receiver.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const receivers: Receiver[] = [];
const runs = 24;

const stack = await useTestStack();
const { url } = await stack.openApi();
for (const host of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) receivers.push(await openReceiver(host));
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

const idOf = ({ headers }: Received) => String(headers["webhook-id"]);
const got = () => receivers.flatMap((receiver) => receiver.got);
const statuses = async () =>
  (await stack.sql.query<{ id: string; run_id: string; status: string }>("SELECT id, run_id, status FROM outbox")).rows;

test("a worker killed while it delivers: each callback arrives at least once, at every try under the same id and with the same body", async () => {
  // Every other request is answered, the rest hang until the worker is dead.
  let asked = 0;
  const later = new Set<string>();
  for (const receiver of receivers)
    receiver.react((res, received) => {
      if (asked++ % 2 === 0) return answer(204)(res, received);
      later.add(idOf(received));
    });
  const first = await stack.start("worker");
  const agent_id = await makeAgent(url, "def main(i): return i");
  const ids = await Promise.all(
    Array.from({ length: runs }, async (_, n) => {
      const completion_callback_url = `${receivers[n % receivers.length]?.url}/hook`;
      const body = { agent_id, version: "current", input_payload: { n }, completion_callback_url };
      const response = await execute(url, body, { prefer: "respond-async" });
      return String(((await response.json()) as { id: string }).id);
    }),
  );
  await waitFor(() => later.size >= 6, 30_000);
  await waitFor(async () => (await statuses()).some(({ status }) => status === "delivered"), 30_000);
  await first.stop("SIGKILL");
  const before = await statuses();
  const done = before.filter(({ status }) => status === "delivered").map(({ id }) => id);
  expect([...later].filter((id) => done.includes(id))).toEqual([]);

  for (const receiver of receivers) receiver.react(answer(204));
  const second = await stack.start("worker");
  // What the killed one held is free after its lease of 30 s, most of which has passed now.
  const held = await stack.sql.query(
    "UPDATE outbox SET lease_until = lease_until - interval '27 s' WHERE status = 'pending' AND lease_until > now()",
  );
  expect(held.rowCount).toBeGreaterThanOrEqual(6);
  const after = await waitFor(async () => {
    const rows = await statuses();
    return rows.length === runs && rows.every(({ status }) => status === "delivered") ? rows : null;
  }, 90_000);

  expect(after.map(({ run_id }) => run_id).toSorted()).toEqual(ids.toSorted());
  expect([...new Set(got().map(idOf))].toSorted()).toEqual(after.map(({ id }) => id).toSorted());
  for (const { id, run_id } of after) {
    const tries = got().filter((received) => idOf(received) === id);
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
    expect(tries[0]?.body).toMatchObject({ type: "run.success", run_id, status: "success" });
    if (later.has(id)) expect(tries.length).toBeGreaterThanOrEqual(2);
    if (done.includes(id)) expect(tries).toHaveLength(1);
  }
  await second.stop();
}, 180_000);

test("workers that share the work send each message once while nobody dies", async () => {
  for (const receiver of receivers) receiver.got.splice(0);
  const workers = [await stack.start("worker"), await stack.start("worker")];
  const target = `${receivers[0]?.url}/shared`;
  const hook = await call(url, "POST", "/v1/webhooks", { user_id: "u", url: target, events: ["run.expired"] });
  const path = `/v1/webhooks/${String(hook.body["id"])}`;
  for (let i = 0; i < 100; i++) await call(url, "POST", `${path}/test`);
  await waitFor(async () => {
    const { body } = await call(url, "GET", `${path}/deliveries?status=delivered&limit=100`);
    return (body["data"] as unknown[]).length === 100;
  }, 60_000);
  expect(got().map(idOf)).toHaveLength(100);
  expect(new Set(got().map(idOf)).size).toBe(100);
  await Promise.all(workers.map((worker) => worker.stop()));
}, 120_000);

test("a worker that is stopped hands back what it is sending: another one sends it soon, not after the lease", async () => {
  const [target] = receivers;
  if (!target) throw new Error("no receiver");
  target.got.splice(0);
  target.react(() => undefined);
  const first = await stack.start("worker");
  const hook = await call(url, "POST", "/v1/webhooks", { user_id: "u", url: target.url, events: ["run.expired"] });
  await call(url, "POST", `/v1/webhooks/${String(hook.body["id"])}/test`);
  await waitFor(() => target.got.length === 1, 30_000);
  const sentAt = performance.now();
  await first.stop("SIGTERM");
  target.react(answer(204));
  await stack.start("worker");
  await waitFor(() => target.got.length === 2, 60_000);
  // The lease was for 30 s.
  expect(performance.now() - sentAt).toBeLessThan(28_000);
  expect(new Set(target.got.map(idOf)).size).toBe(1);
}, 90_000);
