import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Cluster, Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { connectRedis, connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { runStream } from "../../shared/platform/stream/keys.ts";
import { openRunQueue } from "../../shared/platform/queue/run-queue.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { openRunStreams } from "../../shared/platform/stream/run-streams.ts";
import { consumeRuns } from "../../worker/fleet/consume.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { nodePassword, openRedisNodes, startCluster } from "../harness/redis-nodes.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const nodes = await openRedisNodes();
afterAll(() => nodes?.close());
const lacking = "there is no redis-server here";
const agent = py`
  def main(input):
      for i in range(3):
          yield str(i)
      return input
`;

const members = nodes && (await startCluster(nodes, 3));
const clusterUrl = `redis+cluster://:${nodePassword}@${(members ?? []).map(({ port }) => `127.0.0.1:${port}`).join(",")}`;
const keysOfNodes = (pattern: string) => Promise.all((members ?? []).map(({ client }) => client.keys(pattern)));

/** Ids of runs, four for each node: chance alone leaves a node without one in a run of forty. */
async function idsOnEachNode(prefix: string): Promise<string[]> {
  const ids = (members ?? []).map((): string[] => []);
  while (ids.some((own) => own.length < 4)) {
    const id = randomUUID();
    const slot = Number(await members?.[0]?.client.cluster("KEYSLOT", `${prefix}run:${id}`));
    const own = ids[Math.floor((slot * ids.length) / 16_384)];
    if (own !== undefined && own.length < 4) own.push(id);
  }
  return ids.flat();
}

const eventOf = (seq: number): StreamEvent => ({
  attempt: 1,
  seq,
  type: "output.delta",
  data: "{}",
});
const types = (events: { event: string }[]): string[] => events.map(({ event }) => event);
const whole = ["run.queued", "run.started", "output.delta", "output.delta", "output.delta", "run.success"];

test("in a cluster runs are queued, streamed and resumed; their streams are spread over the nodes", async (ctx) => {
  if (members === null) return ctx.skip(lacking);
  const env = { REDIS_URL: clusterUrl, REDIS_PREFIX: "spread:", LOG_LEVEL: "warn", RATE_LIMIT_PER_MINUTE: "100000" };
  const { url, api, worker } = await stack.startMembers({ api: env, worker: env });
  const agent_id = await makeAgent(url, agent);
  const ids = await idsOnEachNode("spread:");
  const runs = await Promise.all(
    ids.map(async (id) => {
      const events = await readEvents(await execute(url, { run_id: id, agent_id, version: "current" }));
      expect(types(events)).toEqual(whole);
      return { id, third: events[2]?.id ?? "" };
    }),
  );
  // A worker that had no slot left for a granted run gave it back: its events are those of its second attempt.
  for (const { id, third } of runs) {
    expect(types(await readEvents(await resume(url, id, third)))).toEqual(whole.slice(3));
  }
  expect((await call(url, "GET", "/health")).body).toMatchObject({ status: "ok", redis: "up" });

  const streams = await keysOfNodes("*run:*");
  expect(streams.flat().toSorted()).toEqual(ids.map((id) => `spread:run:${id}`).toSorted());
  expect(streams.every((keys) => keys.length > 0)).toBe(true);
  // BullMQ's scripts use several keys at once, so its keys are on one node.
  const queued = await keysOfNodes("{spread:bull}:runs:*");
  expect(queued.filter((keys) => keys.length > 0).length).toBe(1);
  expect(api.logged() + worker.logged()).not.toMatch(/CROSSSLOT|MOVED/);
  await Promise.all([api.stop("SIGKILL"), worker.stop("SIGKILL")]);
});

test("in a cluster the readers of a run are counted, whichever node they listen at", async (ctx) => {
  if (members === null) return ctx.skip(lacking);
  const streams = openRunStreams(clusterUrl, "count:", () => undefined);
  const readers = Array.from({ length: 4 }, () => connectSubscriber(clusterUrl, () => undefined));
  for (const [at, reader] of readers.entries())
    await reader.subscribe(runStream("count:", `run-${at}`), runStream("count:", "all"));
  await waitFor(() => streams.countReaders("all").catch(() => null));
  for (let times = 0; times < 5; times += 1) {
    const counts = ["run-0", "run-1", "run-2", "run-3", "all", "none"].map((id) => streams.countReaders(id));
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 4, 0]);
  }
  for (const reader of readers) reader.disconnect();
  streams.close();
});

test("a prefix with a hash tag keeps everything on one node", async (ctx) => {
  if (members === null) return ctx.skip(lacking);
  const faults: Error[] = [];
  const onError = (error: Error): void => void faults.push(error);
  const queue = openRunQueue(clusterUrl, "{together}:", onError);
  const streams = openRunStreams(clusterUrl, "{together}:", onError);
  for (let seq = 1; seq <= 8; seq++) {
    const ready = (act: () => Promise<unknown>) =>
      waitFor(() =>
        act().then(
          () => true,
          () => false,
        ),
      );
    await ready(() => queue.dispatch(`run-${seq}`, "default"));
    await ready(() => streams.append(`run-${seq}`, [eventOf(1)]));
  }
  const held = await keysOfNodes("{together}:*");
  expect(held.flat().filter((key) => key.includes("run:"))).toHaveLength(8);
  expect(held.filter((keys) => keys.length > 0).length).toBe(1);
  expect(faults).toEqual([]);
  streams.close();
  await queue.close();
});

test("with sentinels a stack goes on at the new primary when the old one dies", async (ctx) => {
  if (nodes === null) return ctx.skip(lacking);
  const lines = [`requirepass ${nodePassword}`, `masterauth ${nodePassword}`];
  const primary = await nodes.start(lines);
  const replica = await nodes.start([...lines, `replicaof 127.0.0.1 ${primary.port}`]);
  await waitFor(async () => (await replica.client.info("replication")).includes("master_link_status:up"));
  const watch = [
    `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
    `sentinel auth-pass main ${nodePassword}`,
    "sentinel down-after-milliseconds main 500",
    "sentinel failover-timeout main 3000",
  ];
  const sentinel = await nodes.start(watch, ["--sentinel"]);
  const env = { REDIS_URL: `redis+sentinel://:${nodePassword}@127.0.0.1:${sentinel.port}/main` };
  const service = await stack.startMembers({ api: env, worker: env });
  const agent_id = await makeAgent(service.url, agent);
  const play = async () => types(await readEvents(await execute(service.url, { agent_id, version: "current" })));
  expect(await play()).toEqual(whole);
  await waitFor(async () =>
    String(await sentinel.client.call("SENTINEL", "REPLICAS", "main")).includes(String(replica.port)),
  );
  await primary.stop();
  // While there is no primary a run is late, and whole.
  expect(await play()).toEqual(whole);
  await waitFor(async () => (await replica.client.info("replication")).includes("role:master"));
  // Each process finds the new primary at its own time. Until then a run is whole without Redis; afterwards its stream is there.
  await waitFor(async () => {
    const response = await execute(service.url, { agent_id, version: "current" });
    expect(types(await readEvents(response))).toEqual(whole);
    return (await replica.client.exists(`${stack.prefix}run:${response.headers.get("x-run-id")}`)) === 1;
  }, 60_000);
  await waitFor(async () => (await call(service.url, "GET", "/health")).body["redis"] === "up", 60_000);
  await Promise.all([service.api.stop("SIGKILL"), service.worker.stop("SIGKILL")]);
}, 180_000);

test("a connection leaves a primary that became a replica, and nothing is taken for written there", async (ctx) => {
  if (nodes === null) return ctx.skip(lacking);
  const { port, client } = await nodes.start([`requirepass ${nodePassword}`]);
  const streams = openRunStreams(`redis://:${nodePassword}@127.0.0.1:${port}`, "moved:", () => undefined);
  const othersIds = async (): Promise<string[]> => {
    const own = String(await client.client("ID"));
    const ids = [...String(await client.client("LIST")).matchAll(/^id=(\d+)/gm)].map(([, id]) => String(id));
    return ids.filter((id) => id !== own);
  };
  expect(await waitFor(() => streams.append("a-run", [eventOf(1)]).catch(() => null))).toBe("written");
  const [before] = await othersIds();
  // Nothing answers there, so the replica keeps what it has: a last event of the same attempt.
  await client.replicaof("127.0.0.1", 1);
  await expect(streams.append("a-run", [eventOf(2)])).rejects.toThrow("READONLY");
  await waitFor(async () => !(await othersIds()).includes(before ?? ""));
  await client.replicaof("NO", "ONE");
  expect(await waitFor(() => streams.append("a-run", [eventOf(2)]).catch(() => null))).toBe("written");
  streams.close();
});

test("a connection that is lost comes back with the password that the file has by then, and so do those that BullMQ opens", async (ctx) => {
  if (nodes === null) return ctx.skip(lacking);
  const { port, client } = await nodes.start([`requirepass ${nodePassword}`]);
  const file = join(mkdtempSync(join(tmpdir(), "runfleet-url-")), "url");
  const write = (password: string) => writeFileSync(file, `redis://:${password}@127.0.0.1:${port}\n`);
  write(nodePassword);
  const options = {
    url: { url: readFileSync(file, "utf8").trim(), file },
    prefix: "followed:",
    onError: () => undefined,
  };
  const streams = openRunStreams(options.url, options.prefix, options.onError);
  const queue = openRunQueue(options.url, options.prefix, options.onError);
  const taken: string[] = [];
  const consumer = consumeRuns("default", options, async (ids) => void taken.push(...ids));
  const goOn = async (seq: number): Promise<void> => {
    await waitFor(async () => (await streams.append("a-run", [eventOf(seq)]).catch(() => null)) === "written");
    await waitFor(async () => {
      await queue.dispatch(`run-${seq}`, "default").catch(() => undefined);
      return taken.includes(`run-${seq}`);
    });
  };
  await goOn(1);
  await client.config("SET", "requirepass", "another");
  write("another");
  await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await goOn(2);
  await Promise.all([consumer.close(), queue.close()]);
  streams.close();
  rmSync(dirname(file), { recursive: true });
});

test("a URL of a cluster opens a cluster, any other one connection", () => {
  const quiet = (): void => undefined;
  const opened = ["redis+cluster://127.0.0.1:1,127.0.0.1:2", "redis://127.0.0.1:1"].map((url) =>
    connectRedis(url, quiet),
  );
  expect(opened.map((client) => client instanceof Cluster)).toEqual([true, false]);
  expect(opened[1]).toBeInstanceOf(Redis);
  for (const client of opened) client.disconnect();
});
