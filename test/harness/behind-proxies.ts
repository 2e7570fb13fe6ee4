import { type FaultProxy, openFaultProxy } from "./fault-proxy.ts";
import type { Member, Role, TestStack } from "./test-stack.ts";

export type BehindProxies = { member: Member; postgres: FaultProxy; redis: FaultProxy; close(): Promise<void> };

/** A member that reaches its Postgres and its Redis through proxies which can lose what goes through them. */
export async function startBehindProxies(
  stack: TestStack,
  role: Role,
  env: Record<string, string> = {},
): Promise<BehindProxies> {
  const [database, redisUrl] = [new URL(stack.databaseUrl), new URL(stack.redisUrl)];
  const open = async (at: URL): Promise<FaultProxy> => {
    const proxy = await openFaultProxy({ host: at.hostname, port: Number(at.port) });
    at.port = String(proxy.port);
    return proxy;
  };
  const [postgres, redis] = [await open(database), await open(redisUrl)];
  const member = await stack.start(role, { ...env, DATABASE_URL: database.href, REDIS_URL: redisUrl.href });
  return {
    member,
    postgres,
    redis,
    async close() {
      await member.stop("SIGKILL");
      await Promise.all([postgres.close(), redis.close()]);
    },
  };
}
