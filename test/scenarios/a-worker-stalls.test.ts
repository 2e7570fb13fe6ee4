import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { descendants, isThere } from "../harness/process-tree.ts";
import { py } from "../harness/py.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

// Longer than a crowded machine keeps a worker from renewing.
const leaseMs = 3_000;
/** Its first attempt is too long to end before its worker is struck. */
const source = py`
  import time
  def main(input, context):
      for i in range(300 if context.attempt == 1 else 10):
          yield i
          time.sleep(0.1)
      return {'of': input['of']}
`;

const stack = await useTestStack();
const { url } = await stack.openApi();
const agentId = await makeAgent(url, source);

const ask = (agent_id: string, of = 0): Promise<Response> =>
  execute(url, { agent_id, version: "current", input_payload: { of } });
const preloaded = (file: string): string => `--import ${resolve(`test/harness/preload/${file}`)}`;

type Struck = { victim: Member; other: Member; tree: number[]; at: Date; runs: string[]; streams: SentEvent[][] };

/** Two workers, one of which is struck by SIGUSR2 while it has four runs; their readers stay until the end. */
async function strike(env: Record<string, string>): Promise<Struck> {
  const victim = await stack.start("worker", { LEASE_MS: String(leaseMs), ...env });
  const responses = await Promise.all([0, 1, 2, 3].map((of) => ask(agentId, of)));
  const runs = responses.map(({ headers }) => headers.get("x-run-id") ?? "");
  const reading = Promise.all(responses.map((response) => readEvents(response)));
  const haveBegun = async () =>
    (await Promise.all(runs.map((id) => stack.redis.xlen(`${stack.prefix}run:${id}`)))).every((length) => length > 3);
  await waitFor(haveBegun, 30_000);
  const other = await stack.start("worker", { LEASE_MS: String(leaseMs) });
  onTestFinished(() => Promise.all([victim.stop("SIGKILL"), other.stop("SIGKILL")]).then(() => undefined));
  const tree = descendants(victim.child.pid ?? 0);
  const { rows } = await stack.sql.query<{ at: Date }>("SELECT clock_timestamp() AS at");
  victim.child.kill("SIGUSR2");
  return { victim, other, tree, at: rows[0]?.at ?? new Date(), runs, streams: await reading };
}

type Move = { to: string; reason: string | null; at: Date };
const movesOf = async (id: string): Promise<Move[]> =>
  (await stack.sql.query<Move>("SELECT * FROM run_transitions WHERE run_id = $1 ORDER BY seq", [id])).rows;

/**
 * Taken over in time, ended once, and neither its stream nor its transcript has a gap. On a crowded machine the other worker may lose
 * it, too.
 */
async function expectWhole({ runs, streams, at }: Struck, of: number): Promise<void> {
  const [id, events] = [runs[of] ?? "", streams[of] ?? []];
  const moves = await movesOf(id);
  const attempts = moves.filter(({ to }) => to === "running").length;
  const lost = Array.from({ length: attempts - 1 }, () => ["queued", "running"]).flat();
  expect(attempts).toBeGreaterThan(1);
  expect(moves.map(({ to }) => to)).toEqual(["queued", "running", ...lost, "success"]);
  expect(moves.slice(2).filter(({ to, reason }) => to === "queued" && reason !== "worker_lost")).toEqual([]);
  expect((moves[2]?.at.getTime() ?? Infinity) - at.getTime()).toBeLessThan(leaseMs + 2_000);
  expect(events.at(-1)).toMatchObject({ event: "run.success", id: `${attempts}-12`, data: { result_content: { of } } });
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const own = events.map((event) => event.id).filter((place) => place.startsWith(`${attempt}-`));
    expect(own).toEqual(own.map((_, i) => `${attempt}-${i + 1}`));
  }
  expect(await readEvents(await resume(url, id))).toEqual(events);
  await stack.redis.del(`${stack.prefix}run:${id}`);
  expect(await readEvents(await resume(url, id))).toEqual(events);
}

test("a worker whose event loop is blocked loses its runs to another one, changes nothing when it is back, and works on", async () => {
  const blocked = { NODE_OPTIONS: preloaded("block-loop.mjs"), BLOCK_MS: "8000" };
  const struck = await strike(blocked);
  const { victim, other, runs, streams } = struck;
  for (const of of runs.keys()) await expectWhole(struck, of);
  const moves = await Promise.all(runs.map(movesOf));
  await other.stop("SIGKILL");
  const quick = await makeAgent(url, "def main(input): return {}");
  expect((await readEvents(await ask(quick))).at(-1)).toMatchObject({ event: "run.success", id: "1-2" });
  for (const [of, id] of runs.entries()) {
    expect(await movesOf(id)).toEqual(moves[of]);
    expect(await readEvents(await resume(url, id))).toEqual(streams[of]);
  }
  expect(victim.child.exitCode).toBeNull();
}, 60_000);

test("a worker whose heap is exhausted leaves no process behind, and its runs to another one", async () => {
  const struck = await strike({ NODE_OPTIONS: `${preloaded("exhaust-heap.mjs")} --max-old-space-size=128` });
  const { victim, tree, runs } = struck;
  for (const of of runs.keys()) await expectWhole(struck, of);
  await waitFor(() => victim.child.signalCode);
  expect(victim.child.signalCode).toBe("SIGABRT");
  expect(tree.length).toBeGreaterThan(runs.length);
  await waitFor(() => !tree.some(isThere));
}, 60_000);
