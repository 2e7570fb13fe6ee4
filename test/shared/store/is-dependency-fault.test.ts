import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Redis } from "ioredis";
import pg from "pg";
import { expect, it } from "vitest";
import { isDependencyFault } from "../../../shared/store/is-dependency-fault.ts";

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

it("knows Postgres that doesn't answer by pg's own error", async () => {
  const client = new pg.Client({ host: "127.0.0.1", port: await closedPort() });
  const error = await client.connect().catch((reason: unknown) => reason);
  expect(isDependencyFault(error)).toBe(true);
});

it.each([{ maxRetriesPerRequest: 0 }, { enableOfflineQueue: false }, { retryStrategy: () => null }])(
  "knows Redis that doesn't answer by ioredis's own error, with the options %j",
  async (options) => {
    const redis = new Redis(await closedPort(), "127.0.0.1", { retryStrategy: () => 5, ...options });
    redis.on("error", () => {});
    const error = await redis.ping().catch((reason: unknown) => reason);
    redis.disconnect();
    expect(isDependencyFault(error)).toBe(true);
  },
);

it.each([
  [{ code: "57P01" }],
  [{ code: "08006" }],
  [{ name: "PrismaClientKnownRequestError", code: "P2024" }],
  [{ name: "PrismaClientInitializationError", errorCode: "P1001" }],
  [{ code: "P2010", meta: { driverAdapterError: { cause: { originalCode: "57P03", kind: "postgres" } } } }],
  [{ cause: { kind: "DatabaseNotReachable" } }],
  [new Error("outer", { cause: new Error("Connection terminated unexpectedly") })],
  // A read-only server, a login that a failover refuses, time-outs of a statement, of a lock and of an idle transaction.
  ...["25006", "28P01", "57014", "55P03", "25P03", "53100", "3D000"].map((code): [{ code: string }] => [{ code }]),
  [{ code: "P2039", meta: { driverAdapterError: { cause: { originalCode: "25006", kind: "postgres" } } } }],
  [{ name: "PrismaClientKnownRequestError", code: "P2028" }],
  // A route into nothing, a packet filter.
  [{ code: "EINVAL", syscall: "connect" }],
  [{ code: "EPERM", syscall: "connect" }],
  [new Error("Client has encountered a connection error and is not queryable")],
  [new Error("Cluster isn't ready and enableOfflineQueue options is false")],
  [new Error("All sentinels are unreachable. Retrying from scratch after 10ms.")],
  [new Error("READONLY You can't write against a read only replica.")],
])("knows %j", (error) => {
  expect(isDependencyFault(error)).toBe(true);
});

it.each([
  [new Error("anything")],
  [{ code: "23505" }],
  [{ code: "42P01" }],
  [{ code: "25001" }],
  [{ code: "EINVAL", syscall: "write" }],
  [{ code: "P2002", meta: { code: "23505" } }],
  [new Error("the agent said: Connection terminated")],
  [null],
  ["ECONNREFUSED"],
])("doesn't take %j for one", (error) => {
  expect(isDependencyFault(error)).toBe(false);
});

it("ends on a cause that is its own", () => {
  const error = new Error("loop");
  error.cause = error;
  expect(isDependencyFault(error)).toBe(false);
});
