import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { type Cut, type FaultProxy, openFaultProxy } from "../harness/fault-proxy.ts";
import { py } from "../harness/py.ts";
import { useTestStack, type Role } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const proxies: FaultProxy[] = [];
/** Long enough to have a piece of its transcript written before its end. */
const source = py`
  import time
  def main(input):
      for i in range(20):
          yield i
          time.sleep(0.1)
      return input
`;

const stack = await useTestStack();
const { url } = await stack.start("api");
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

/** A process that is killed as soon as its statement of that name was sent (before: and lost; after: and committed). */
async function startDoomed(role: Role, text: string, cut: Cut) {
  const at = new URL(stack.databaseUrl);
  const proxy = await openFaultProxy({ host: at.hostname, port: Number(at.port) });
  proxies.push(proxy);
  at.port = String(proxy.port);
  const member = await stack.start(role, { DATABASE_URL: at.href, WORKER_SLOTS: "2" });
  const dead = proxy.silenceAt(text, cut).then(async () => {
    await member.stop("SIGKILL");
    await stack.lapse(member);
  });
  return { url: member.url, dead };
}
async function movesOf(id: string): Promise<string[]> {
  const text = `SELECT "to" FROM run_transitions WHERE run_id = $1 ORDER BY seq`;
  return (await stack.sql.query<{ to: string }>(text, [id])).rows.map(({ to }) => to);
}

test("workers killed before and after the commit of a claim, of a piece of transcript and of an end: each run ends once, its stream is whole", async () => {
  const agent_id = await makeAgent(url, source, { max_attempts: 7 });
  const points = ["claim-run", "append-transcript", "finalize-run"].flatMap((text) => [
    [text, "before"] as const,
    [text, "after"] as const,
  ]);
  const doomed = await Promise.all(points.map(([text, cut]) => startDoomed("worker", text, cut)));
  const ids = Array.from({ length: 16 }, (_, i) => `run-${i}`);
  const reading = Promise.all(
    ids.map(async (run_id, i) =>
      readEvents(await execute(url, { run_id, agent_id, version: "current", input_payload: { i } })),
    ),
  );
  await Promise.all(doomed.map(({ dead }) => dead));
  await stack.start("worker", { WORKER_SLOTS: "16" });
  for (const [i, events] of (await reading).entries()) {
    const id = ids[i] ?? "";
    expect(events.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { i } } });
    const attempt = Number(events.at(-1)?.data["attempt"]);
    const own = events.map((event) => event.id).filter((place) => place.startsWith(`${attempt}-`));
    expect(own).toEqual(Array.from({ length: 22 }, (_, n) => `${attempt}-${n + 1}`));
    const moves = await movesOf(id);
    expect(moves).toEqual(["queued", "running", ...moves.slice(2, -1), "success"]);
    expect(moves.filter((to) => to === "success")).toHaveLength(1);
    await stack.redis.del(`${stack.prefix}run:${id}`);
    expect(await readEvents(await resume(url, id))).toEqual(events);
  }
  expect((await stack.sql.query("SELECT 1 FROM runs WHERE lost_attempts > 0")).rowCount).toBeGreaterThan(2);
}, 90_000);

test("an API killed before the commit of a run has not accepted it; killed after it, the run ends though nobody was told", async () => {
  const agent_id = await makeAgent(url, "def main(input): return {}");
  const killAt = async (cut: Cut): Promise<number> => {
    const doomed = await startDoomed("api", "insert-run", cut);
    const request = { run_id: `run-cut-${cut}`, agent_id, version: "current" };
    await expect(execute(doomed.url, request)).rejects.toThrow("fetch failed");
    await doomed.dead;
    return (await call(url, "GET", `/v1/runs/run-cut-${cut}`)).status;
  };
  expect(await Promise.all([killAt("before"), killAt("after")])).toEqual([404, 200]);
  await waitFor(async () => (await movesOf("run-cut-after")).includes("success"), 20_000);
  expect(await movesOf("run-cut-after")).toEqual(["queued", "running", "success"]);
}, 60_000);
