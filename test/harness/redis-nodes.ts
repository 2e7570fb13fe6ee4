import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../../dev/free-port.ts";
import { cacheDir } from "../../dev/reachable.ts";
import { findRedisBinary } from "../../dev/redis-binary.ts";
import { type ServiceProcess, startService } from "../../dev/start-service.ts";
import { waitFor } from "./wait-for.ts";

export const nodePassword = "test-of-nodes";

/** A Redis or a sentinel of a test's own. */
export type RedisNode = { port: number; client: Redis; stop(signal?: NodeJS.Signals): Promise<void> };
export type RedisNodes = {
  /** Starts a process with further lines of configuration. */
  start(lines: string[], args?: string[]): Promise<RedisNode>;
  close(): Promise<void>;
};

/** Returns null, with the reason on stderr, where there is no Redis to start. */
export async function openRedisNodes(): Promise<RedisNodes | null> {
  const binary = await findRedisBinary(cacheDir()).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    return null;
  });
  if (binary === null) return null;
  const dir = mkdtempSync(join(tmpdir(), "runfleet-redis-"));
  const started: (() => Promise<void>)[] = [];

  async function start(lines: string[], args: string[] = []): Promise<RedisNode> {
    const port = await freePort();
    const own = join(dir, String(port));
    await mkdir(own);
    const config = join(own, "redis.conf");
    const all = ["bind 127.0.0.1", `port ${port}`, 'save ""', "maxmemory-policy noeviction", ...lines];
    const ofData = args.includes("--sentinel") ? all.filter((line) => !/^(save|maxmemory)/.test(line)) : all;
    await writeFile(config, `${ofData.join("\n")}\n`);
    const service: ServiceProcess = await startService({
      name: "redis",
      file: binary?.file ?? "",
      args: [config, ...args],
      options: { cwd: own, env: binary?.libraryPath ? { LD_LIBRARY_PATH: binary.libraryPath } : {} },
      ready: /Ready to accept connections|Sentinel ID is/i,
      record: join(own, "process.json"),
      stopSignals: [],
    });
    const client = new Redis(port, "127.0.0.1", { ...(!args.includes("--sentinel") && { password: nodePassword }) });
    client.on("error", () => undefined);
    const stop = async (): Promise<void> => {
      client.disconnect();
      await service.stop();
    };
    started.push(stop);
    return { port, client, stop };
  }

  return {
    start,
    async close() {
      await Promise.all(started.map((stop) => stop()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Starts a cluster of masters that share the slots. Returns its nodes. */
export async function startCluster(nodes: RedisNodes, count: number): Promise<RedisNode[]> {
  const lines = [`requirepass ${nodePassword}`, `masterauth ${nodePassword}`, "cluster-enabled yes"];
  // The usual port of the cluster's bus, 10000 above, may be beyond all ports.
  const members: RedisNode[] = [];
  for (let at = 0; at < count; at++) members.push(await nodes.start([...lines, `cluster-port ${await freePort()}`]));
  const [first, ...others] = members;
  for (const [at, { client }] of members.entries()) {
    const [from, to] = [Math.floor((16_384 * at) / count), Math.floor((16_384 * (at + 1)) / count) - 1];
    await client.call("CLUSTER", "ADDSLOTSRANGE", from, to);
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", at + 1);
  }
  const bus = Number(/@(\d+)/.exec(String(await first?.client.call("CLUSTER", "NODES")))?.[1]);
  for (const { client } of others) await client.call("CLUSTER", "MEET", "127.0.0.1", first?.port ?? 0, bus);
  await waitFor(async () => {
    const states = await Promise.all(members.map(({ client }) => client.call("CLUSTER", "INFO")));
    return states.every(
      (text) => String(text).includes("cluster_state:ok") && String(text).includes(`cluster_known_nodes:${count}`),
    );
  });
  return members;
}
