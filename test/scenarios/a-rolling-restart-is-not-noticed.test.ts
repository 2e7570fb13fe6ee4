import { expect, test } from "vitest";
import { execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { timeLimit } from "../harness/time-limit.ts";
import { type Member, useTestStack, type Role } from "../harness/test-stack.ts";

const settings = { SHUTDOWN_NOTICE_MS: "600", SHUTDOWN_GRACE_MS: "1000", WORKER_SLOTS: "8" };
const short = py`
  import time
  def main(input):
      for i in range(5):
          yield str(i)
          time.sleep(0.05)
`;
/** So much longer than a leaving worker waits that of all that are under way some are handed back. It may be tried once only: being handed back must not count. */
const long = py`
  import time
  def main(input):
      time.sleep(4)
      return {'ok': True}
`;

const stack = await useTestStack();

/** What a load balancer does: sends requests to the APIs that are ready, and to another one where nobody listens any more. */
function balance(apis: Set<Member>) {
  const ready = new Set<string>();
  const probe = async ({ url }: Member): Promise<void> => {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    if (answer?.ok) ready.add(url);
    else ready.delete(url);
  };
  const probes = setInterval(() => [...apis].map(probe), 50);
  const someReady = async (): Promise<string> => {
    // On a busy machine a probe of each may fail for a moment.
    await expect.poll(() => ready.size, { timeout: timeLimit(30_000) }).toBeGreaterThan(0);
    return [...ready][Math.floor(Math.random() * ready.size)] ?? "";
  };
  async function send(request: (url: string) => Promise<Response>): Promise<Response> {
    const url = await someReady();
    try {
      return await request(url);
    } catch (error) {
      if (!(error instanceof TypeError) || (error.cause as { code?: string }).code !== "ECONNREFUSED") throw error;
      ready.delete(url);
      return send(request);
    }
  }
  return { someReady, send, close: () => clearInterval(probes) };
}

test("every API and worker is replaced under load: no request fails, no stream has a gap, no run is charged an attempt", async () => {
  const startTwo = (role: Role) => Promise.all([stack.start(role, settings), stack.start(role, settings)]);
  const [apis, workers] = (await Promise.all([startTwo("api"), startTwo("worker")])).map((two) => new Set(two)) as [
    Set<Member>,
    Set<Member>,
  ];
  const balancer = balance(apis);
  const agents = await Promise.all([
    makeAgent(await balancer.someReady(), short),
    makeAgent(await balancer.someReady(), long, { max_attempts: 1 }),
  ]);
  let load = true;
  const cuts: string[] = [];

  async function readToEnd(response: Response): Promise<SentEvent[]> {
    const events = await readEvents(response);
    while (!events.at(-1)?.event.match(/^run\.(success|error|timeout|cancelled)$/)) {
      const runId = response.headers.get("x-run-id") ?? "";
      cuts.push(runId);
      const next = await balancer.send((url) => resume(url, runId, events.at(-1)?.id));
      expect(next.status).toBe(200);
      events.push(...(await readEvents(next)));
    }
    return events;
  }
  async function client(agent_id: string): Promise<SentEvent[][]> {
    const streams: SentEvent[][] = [];
    while (load) {
      const response = await balancer.send((url) => execute(url, { agent_id, version: "current" }));
      expect(response.status).toBe(200);
      streams.push(await readToEnd(response));
    }
    return streams;
  }
  const replace = async (role: Role, members: Set<Member>): Promise<void> => {
    for (const old of [...members]) {
      members.add(await stack.start(role, settings));
      await old.stop("SIGTERM");
      members.delete(old);
    }
  };

  const clients = Promise.all([0, 0, 0, 1, 1, 1, 1, 1, 1, 1].map((which) => client(agents[which] ?? "")));
  await replace("api", apis);
  await replace("worker", workers);
  load = false;
  const streams = (await clients).flat();
  balancer.close();

  expect(streams.length).toBeGreaterThan(20);
  expect(cuts.length).toBeGreaterThan(0);
  for (const events of streams) {
    expect(events.at(-1)?.event).toBe("run.success");
    const places = events.map(({ id }) => id.split("-").map(Number) as [number, number]);
    for (const [i, [attempt, seq]] of places.entries()) {
      const [before, last] = places[i - 1] ?? [0, 0];
      expect(attempt === before ? seq : [attempt > before, seq]).toEqual(attempt === before ? last + 1 : [true, 1]);
    }
  }
  expect(streams.some((events) => events.at(-1)?.id.startsWith("2-"))).toBe(true);
}, 120_000);
