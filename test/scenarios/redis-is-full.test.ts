import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { cacheDir } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const dataDir = mkdtempSync(join(tmpdir(), "full-redis-"));

const stack = await useTestStack();
// One of its own: what is done to it would hit every other test.
const service = await startRedis({ dataDir, cacheDir: cacheDir() });
const redis = new Redis(service.url);
const { url } = await stack.startService({ worker: { REDIS_URL: service.url }, api: { REDIS_URL: service.url } });
afterAll(async () => {
  redis.disconnect();
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What keeps Redis from writing, how it says so, and what mends it. */
const faults = [
  {
    lack: "memory",
    says: /OOM/,
    strike: () => redis.config("SET", "maxmemory", "1"),
    mend: () => redis.config("SET", "maxmemory", "0"),
  },
  {
    lack: "disk",
    says: /MISCONF/,
    async strike() {
      const [, directory] = (await redis.config("GET", "dir")) as [string, string];
      rmSync(join(directory, "dump.rdb"), { force: true });
      // Nothing can be renamed to a directory's name.
      mkdirSync(join(directory, "dump.rdb"));
      await redis.config("SET", "save", "3600 1");
      await redis.bgsave();
    },
    mend: () => redis.config("SET", "save", ""),
  },
];

test.each(faults)(
  "a Redis that has no $lack left delays runs and their streams; it loses none, and all is well when it has again",
  async ({ strike, says, mend }) => {
    const agent_id = await makeAgent(
      url,
      py`
        def main(input):
            yield 'a'
            yield 'b'
            return {'ok': True}
      `,
    );
    const run = async () => readEvents(await execute(url, { agent_id, version: "current" }));
    expect((await run()).at(-1)?.event).toBe("run.success");
    await strike();
    await expect.poll(() => redis.set("any", "thing").catch(String), { timeout: 10_000 }).toMatch(says);
    const streams = await Promise.all([run(), run(), run()]);
    for (const events of streams) {
      expect(events.at(-1)?.event).toBe("run.success");
      expect(events.map(({ id }) => id)).toEqual(["0-1", ...events.slice(1).map((_, i) => `1-${i + 1}`)]);
    }
    expect((await call(url, "GET", "/health/live")).status).toBe(200);
    await mend();
    await expect
      .poll(
        async () => {
          const from = performance.now();
          await run();
          return performance.now() - from;
        },
        { timeout: 30_000 },
      )
      .toBeLessThan(1_000);
  },
  90_000,
);
