import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { reachableFolder } from "../dev/reachable.ts";
import { startStack } from "../dev/start-stack.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { type BenchClient, createBenchClient } from "./client.ts";

export type BenchStack = { url: string; databaseUrl: string; redisUrl: string; client: BenchClient; directory: string };

const port = "18099";

/** Starts a whole stack with an empty database, and ends it after `work`. */
export async function withStack<T>(
  signal: AbortSignal,
  settings: Record<string, string>,
  work: (stack: BenchStack) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "stack-"));
  const env = { ...readEnv(), DATA_DIR: directory, PORT: port, HOST: "127.0.0.1", LOG_LEVEL: "warn", ...settings };
  const { url, databaseUrl, redisUrl, close } = await startStack(env, signal, join(directory, "log"));
  const client = createBenchClient(url);
  try {
    return await work({ url, databaseUrl, redisUrl, client, directory });
  } finally {
    client.close();
    await close();
    rmSync(directory, { recursive: true, force: true });
  }
}
