import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { type BenchClient, createBenchClient } from "../client.ts";
import type { BenchStack } from "../with-stack.ts";
import type { SkeletonSettings } from "./names.ts";

const port = 18_098;

/**
 * Measures the same parts with almost nothing in them: express, BullMQ, three commits of one row, a bare fork of Python, a
 * published line. No sandbox, no checks, no limits, no history. That is the upper bound of this machine, as a bare start of
 * Python is for one run.
 */
export async function withSkeleton<T>(
  { databaseUrl, redisUrl }: BenchStack,
  work: (client: BenchClient) => Promise<T>,
): Promise<T> {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  await db.query(
    "CREATE TABLE skeleton (id text PRIMARY KEY, input jsonb, status text, result jsonb) WITH (fillfactor = 50)",
  );
  await db.end();
  const settings: SkeletonSettings = { databaseUrl, redisUrl, port };
  const started = await Promise.all(["skeleton-api", "skeleton-worker"].map((role) => start(role, settings)));
  const client = createBenchClient(`http://127.0.0.1:${port}`);
  try {
    return await work(client);
  } finally {
    client.close();
    for (const child of started) child.kill();
  }
}

async function start(role: string, settings: SkeletonSettings): Promise<ChildProcess> {
  const main = new URL("../main.js", import.meta.url).pathname;
  const child = spawn(process.execPath, [main, role, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const died = once(child, "exit").then(() => Promise.reject(new Error(`The ${role} ended before it was ready.`)));
  await Promise.race([once(child.stdout, "data"), died]);
  died.catch(() => undefined);
  return child;
}
