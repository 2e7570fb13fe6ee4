import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cacheDir } from "../../../../dev/reachable.ts";
import { startRedis } from "../../../../dev/redis.ts";
import type { Service } from "../../../../dev/start-service.ts";
import { openRunQueue } from "../../../../shared/platform/queue/run-queue.ts";

const dataDir = mkdtempSync(join(tmpdir(), "evicting-redis-"));
let service: Service;
let redis: Redis;
beforeAll(async () => {
  service = await startRedis({ dataDir, cacheDir: cacheDir() });
  redis = new Redis(service.url);
}, 60_000);
afterAll(async () => {
  redis?.disconnect();
  await service?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("a Redis that may evict what waits in it is said to, when a process connects", async () => {
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  const said = await new Promise<Error>((resolve) => {
    const queue = openRunQueue(service.url, "eviction:", (error) => {
      resolve(error);
      void queue.close();
    });
  });
  expect(said.message).toBe("Redis evicts keys (allkeys-lru): set its maxmemory-policy to noeviction");
});
