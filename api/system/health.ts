import { z } from "zod";
import { unavailable } from "../../shared/domain/errors/app-error.ts";
import { defaultPool } from "../../shared/domain/run/pool.ts";
import { version } from "../../shared/platform/version.ts";
import type { PoolState } from "../../shared/store/queues/read-pools.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const part = z.enum(["up", "down"]);

const health = z
  .object({
    status: z.enum(["ok", "degraded"]),
    version: z.string(),
    auth: z.enum(["open", "key"]),
    postgres: z.enum(["up", "read_only", "down"]),
    redis: part,
    workers: z.number().int(),
    pools: z
      .array(
        z.object({
          pool: z.string(),
          workers: z.number().int(),
          queued: z.number().int(),
          oldest_ms: z.number().nullable().meta({ description: "For how long its oldest queued run waits." }),
        }),
      )
      .meta({
        description:
          "The pools of workers. A pool with queued runs and no workers needs a worker. With keys (AUTH_MODE=key) the pools but for `default` are one, `*`: agents name pools, and anybody may ask here. `/metrics` has each of them.",
      }),
    sandbox_levels: z.array(z.number().int()).meta({ description: "The isolation levels of the live workers." }),
    sandbox_missing: z.array(z.string()).meta({ description: "Why live workers have no stronger level." }),
  })
  .meta({
    id: "Health",
    example: {
      status: "ok",
      version: "2.0.0",
      auth: "key",
      postgres: "up",
      redis: "up",
      workers: 2,
      pools: [{ pool: "default", workers: 2, queued: 0, oldest_ms: null }],
      sandbox_levels: [2],
      sandbox_missing: ["ns+cgroup: /sys/fs/cgroup is not writable"],
    },
  });

export const getHealth = defineOperation({
  method: "get",
  path: "/health",
  name: "health",
  area: "System",
  scope: "public",
  summary: "The status of Postgres, Redis and the workers",
  description:
    "Use it to see what a fault depends on: each dependency, the live workers, their pools and their sandboxes. It answers 200 even when the service is degraded.",
  responses: { 200: { description: "The status. It is 200 whenever this process can answer", schema: health } },
  async handle({ checks, config }: Pick<ApiContext, "checks" | "config">) {
    const redis = checks.redis().then(
      () => "up" as const,
      () => "down" as const,
    );
    const writable = await checks.writable().catch(() => null);
    // A Postgres that doesn't answer is not asked more.
    const [workers, staffed] =
      writable === null
        ? [null, []]
        : await Promise.all([checks.workers().catch(() => null), checks.pools().catch(() => [])]);
    const levels = [...new Set((workers ?? []).map((worker) => worker.sandbox.level))];
    const missing = [...new Set((workers ?? []).flatMap((worker) => worker.sandbox.missing))];
    const status = writable && workers && workers.length > 0 && (await redis) === "up" ? "ok" : "degraded";
    const answering = writable === true ? "up" : "read_only";
    const postgres = writable === null ? "down" : answering;
    const body = {
      status,
      version,
      auth: config.auth.mode,
      postgres,
      redis: await redis,
      workers: workers?.length ?? 0,
      pools: shownPools(staffed, config.auth.mode),
      sandbox_levels: levels,
      sandbox_missing: missing,
    } as const;
    return { status: 200, body };
  },
});

type Staffed = Pick<PoolState, "pool" | "active" | "waiting" | "oldest_ms">;

const shownPools = (pools: readonly Staffed[], mode: "open" | "key") =>
  (mode === "key" ? withoutNames(pools) : pools).map(({ pool, active, waiting, oldest_ms }) => ({
    pool,
    workers: active,
    queued: waiting,
    oldest_ms,
  }));

/** Returns the default pool, and all others as one. */
function withoutNames(pools: readonly Staffed[]): Staffed[] {
  const others = pools.filter(({ pool }) => pool !== defaultPool);
  if (others.length === 0) return [...pools];
  const ages = others.flatMap(({ oldest_ms }) => oldest_ms ?? []);
  const sum = {
    pool: "*",
    active: others.reduce((all, { active }) => all + active, 0),
    waiting: others.reduce((all, { waiting }) => all + waiting, 0),
    oldest_ms: ages.length > 0 ? Math.max(...ages) : null,
  };
  return [...pools.filter(({ pool }) => pool === defaultPool), sum];
}

const simple = z.object({ status: z.literal("ok") }).meta({ example: { status: "ok" } });
const ok = { status: "ok" } as const;

export const getLive = defineOperation({
  method: "get",
  path: "/health/live",
  name: "health_live",
  area: "System",
  scope: "public",
  summary: "Liveness: this process answers",
  description: "For a supervisor that restarts a process which no longer answers. It asks no dependency.",
  responses: { 200: { description: "The process answers", schema: simple } },
  handle: async () => ({ status: 200, body: ok }),
});

export const getReady = defineOperation({
  method: "get",
  path: "/health/ready",
  name: "health_ready",
  area: "System",
  scope: "public",
  summary: "Readiness: this process can accept runs",
  description:
    "For a load balancer: 503 while Postgres is unreachable or takes no writes, while no worker lives (unless EXPECTED_ADAPTERS is set), or while this process is leaving.",
  errors: ["leaving", "postgres_down", "postgres_read_only", "no_worker"],
  responses: { 200: { description: "The process can accept runs; otherwise 503 with the reason", schema: simple } },
  async handle({ checks, leaving }: Pick<ApiContext, "checks" | "leaving">) {
    if (leaving.aborted) throw unavailable("leaving", "This process is shutting down. Use another one.");
    if (!(await checks.writable().catch(refusePostgres)))
      throw unavailable(
        "postgres_read_only",
        "Postgres is read-only, as a standby is. Promote it, or point DATABASE_URL to the primary.",
      );
    if (!(await checks.staffed().catch(refusePostgres)))
      throw unavailable(
        "no_worker",
        "There is no live worker. Start one, or name in EXPECTED_ADAPTERS what workers are started for.",
      );
    return { status: 200, body: ok };
  },
});

function refusePostgres(): never {
  throw unavailable("postgres_down", "Postgres does not answer. Check DATABASE_URL and the database.");
}
