import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleMembers } from "../../chaos/stack/bundle-members.ts";
import type { Commands } from "../../chaos/stack/open-stack.ts";
import { findBubblewrap } from "../../dev/bubblewrap.ts";
import { createRoles } from "../../dev/database-roles.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { cacheDir, reachableFolder } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { createTemplate } from "./test-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A server's URL, as a superuser. */
    databaseUrl: string;
    /** The name of the migrated database that every test database is a copy of. */
    templateDatabase: string;
    redisUrl: string;
    /** Node's arguments that start an API and a worker. */
    commands: Commands;
    bwrap: string | null;
  }
}

type Started = { databaseUrl: string; redisUrl: string; close(): Promise<void> };

/** Provides Postgres, Redis and bubblewrap to every test file. */
// oxlint-disable-next-line import/no-default-export -- what vitest takes as a global setup
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await openServices();
  await createRoles(services.databaseUrl);
  const template = await createTemplate(services.databaseUrl);
  project.provide("databaseUrl", services.databaseUrl);
  project.provide("templateDatabase", template.name);
  project.provide("redisUrl", services.redisUrl);
  const members = await bundleMembers();
  project.provide("commands", members.commands);
  project.provide("bwrap", await findBubblewrap(cacheDir()));
  return async () => {
    members.remove();
    await template.drop();
    await services.close();
  };
}

/** TEST_DATABASE_URL and TEST_REDIS_URL, else containers where a Docker engine answers, else the embedded ones. */
async function openServices(): Promise<Started> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = readEnv();
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl, close: () => Promise.resolve() };
  return (await dockerAnswers()) ? startContainers() : startEmbedded();
}

/** The client alone is not enough: something must listen on its socket. */
function dockerAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect("/var/run/docker.sock");
    socket.setTimeout(500, () => socket.destroy(new Error("late")));
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function startContainers(): Promise<Started> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const [postgres, redis] = await Promise.all([
    new GenericContainer("postgres:17")
      .withEnvironment({ POSTGRES_PASSWORD: "test" })
      .withCommand(["postgres", "-c", "max_connections=300", "-c", "fsync=off"])
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
      .start(),
    new GenericContainer("redis:7")
      .withCommand(["redis-server", "--maxmemory-policy", "noeviction"])
      .withExposedPorts(6379)
      .start(),
  ]);
  return {
    databaseUrl: `postgresql://postgres:test@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    async close() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

async function startEmbedded(): Promise<Started> {
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-tests"), "stack-"));
  // Made 0700, which would send Postgres' own user, and so its cluster, elsewhere.
  chmodSync(dataDir, 0o711);
  const redis = await startRedis({ dataDir, cacheDir: cacheDir() });
  const postgres = await startPostgres({ dataDir, fsync: false });
  return {
    databaseUrl: postgres.url.replace(/[^/]*$/, "postgres"),
    redisUrl: redis.url,
    async close() {
      await Promise.all([postgres.close(), redis.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
