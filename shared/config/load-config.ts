import { z } from "zod";
import { egressPattern } from "../run/egress-rule.ts";
import { imageRulePattern } from "../run/image-rule.ts";
import type { Env } from "./env.ts";

const MiB = 1024 * 1024;
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** `id:base64` pairs, comma-separated; the first seals, all open. Each key is 32 bytes. */
const keyRing = z.string().transform((text, ctx) =>
  text.split(",").map((entry) => {
    const at = entry.indexOf(":");
    const id = entry.slice(0, at).trim();
    const key = Buffer.from(entry.slice(at + 1), "base64");
    if (!/^[a-z0-9]{1,16}$/.test(id) || key.length !== 32)
      ctx.addIssue({ code: "custom", message: "each key must be <id>:<base64 of 32 bytes>, the id [a-z0-9]{1,16}" });
    return { id, key };
  }),
);

const commaList = z.string().transform((text) => text.split(",").flatMap((part) => (part.trim() ? [part.trim()] : [])));

/** Host patterns; `none` for no host at all. */
const egressList = commaList
  .transform((patterns) => patterns.filter((pattern) => pattern !== "none"))
  .pipe(z.array(z.string().regex(egressPattern)));

/** Checked here: a client that takes a URL for something else tells its password in what it logs. */
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must be a URL like postgresql://user:password@host:5432/database");
const redisUrl = z
  .string()
  .regex(/^(rediss?:\/)?\//, "must be a URL like redis://:password@host:6379, or a socket's path");

/** A secret that somebody makes up and sends as a bearer token. */
const bearer = z.string().regex(/^\S{32,256}$/, "must have 32 to 256 characters, none of them blank");

const schema = z.object({
  DATABASE_URL: databaseUrl,
  DATABASE_POOL: integer(1, 200).default(10),
  REDIS_URL: redisUrl,
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9:_-]*$/)
    .default("runfleet:"),
  ENCRYPTION_KEYS: keyRing,
  TRACE_FILE: z.string().optional(),
  ALIVE_FILE: z.string().optional(),
  NODE_ENV: z.string().default("development"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  HOST: z.string().default("127.0.0.1"),
  PORT: integer(0, 65_535).default(8080),
  AUTH_MODE: z.enum(["open", "key"]).default("open"),
  BOOTSTRAP_ADMIN_KEY: bearer.optional(),
  INTERNAL_TOKEN: bearer.optional(),
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000).optional(),
  ALLOW_OPEN_IN_PRODUCTION: z.enum(["0", "1"]).default("0"),
  QUEUE_LIMIT: integer(1, 10_000_000).default(100_000),
  OWNER_QUEUE_LIMIT: integer(1, 10_000_000).default(50_000),
  AGENT_QUEUE_LIMIT: integer(1, 10_000_000).default(50_000),
  CALLBACK_ALLOW_CIDRS: commaList.default([]),
  EGRESS_ALLOW: egressList.default(["*"]),
  EGRESS_ALLOW_CIDRS: commaList.default([]),
  CONTAINER_IMAGES: commaList
    .pipe(
      z.array(
        z
          .string()
          .regex(
            imageRulePattern,
            "must be images, like ghcr.io/acme/agent:1, or repositories, like ghcr.io/acme/agent:*",
          ),
      ),
    )
    .default([]),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: commaList.default([]),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.stripe.com"),
  CALLBACK_SCHEDULE_SCALE: z.coerce.number().min(0.00001).max(1).default(1),
  WORKER_SLOTS: integer(1, 1024).default(8),
  WARM_MEMORY_MB: integer(0, 1_000_000).default(512),
  WORKER_DAEMONS: integer(0, 1024).default(16),
  DAEMON_STALL_MS: integer(100, 86_400_000).default(60_000),
  DAEMON_WATCH_MS: integer(100, 3_600_000).default(30_000),
  DAEMON_BACKOFF_SCALE: z.coerce.number().min(0.001).max(1).default(1),
  RETENTION_DAYS: integer(1, 36_500).default(30),
  AUDIT_RETENTION_DAYS: integer(1, 36_500).default(365),
  RUN_RETENTION_DAYS: integer(1, 36_500).optional(),
  LEASE_MS: integer(500, 600_000).default(10_000),
  SHUTDOWN_NOTICE_MS: integer(0, 600_000).default(0),
  SHUTDOWN_GRACE_MS: integer(0, 3_600_000).default(5_000),
  ENVIRONMENTS_DIR: z
    .string()
    .regex(/^\/(?!tmp(\/|$))/, "must be an absolute path, and not in /tmp: sandboxes have their own")
    .optional(),
  ENVIRONMENTS_MAX_BYTES: integer(MiB, 1024 ** 5).default(10 * 1024 * MiB),
  ENVIRONMENT_MAX_BYTES: integer(MiB, 64 * 1024 * MiB).default(1024 * MiB),
  INSTALL_TIMEOUT_MS: integer(1_000, 3_600_000).default(300_000),
  PACKAGE_HOSTS: egressList.default([]),
  SANDBOX_MIN_LEVEL: integer(0, 3).default(1),
  PYTHON: z.string().optional(),
  BWRAP: z.string().optional(),
  PATH: z.string().default("/usr/local/bin:/usr/bin:/bin"),
});

/** Every variable that an API or a worker reads. */
export const variableNames: readonly string[] = Object.keys(schema.shape);

/** The first key seals, all open. */
export type KeyRing = { id: string; key: Buffer }[];

export type Config = ReturnType<typeof loadConfig>;

/** Groups and checks the environment. Throws one error that lists every fault, without any value. */
export function loadConfig(env: Env) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${faultWords(issue, given)}`);
    throw new Error(`The configuration has faults:\n${faults.join("\n")}`);
  }
  const { data } = parsed;
  const loopback = ["127.0.0.1", "::1", "localhost"].includes(data.HOST);
  const exposed = data.AUTH_MODE === "open" && data.NODE_ENV === "production" && !loopback;
  if (exposed && data.ALLOW_OPEN_IN_PRODUCTION !== "1")
    throw new Error(
      "AUTH_MODE=open: the API is open to everyone who can reach it; in production set AUTH_MODE=key, bind HOST to 127.0.0.1, or set ALLOW_OPEN_IN_PRODUCTION=1 behind your own gate.",
    );
  return {
    logLevel: data.LOG_LEVEL,
    traceFile: data.TRACE_FILE,
    aliveFile: data.ALIVE_FILE,
    database: { url: data.DATABASE_URL, poolSize: data.DATABASE_POOL },
    redis: { url: data.REDIS_URL, prefix: data.REDIS_PREFIX },
    encryptionKeys: data.ENCRYPTION_KEYS,
    http: { host: data.HOST, port: data.PORT },
    auth: {
      mode: data.AUTH_MODE,
      bootstrapAdminKey: data.BOOTSTRAP_ADMIN_KEY,
      internalToken: data.INTERNAL_TOKEN,
      // Of one key or, in open mode, one address; 0: no limit.
      requestsPerMinute: data.RATE_LIMIT_PER_MINUTE ?? (data.AUTH_MODE === "key" ? 6_000 : 0),
    },
    queue: { total: data.QUEUE_LIMIT, perOwner: data.OWNER_QUEUE_LIMIT, perAgent: data.AGENT_QUEUE_LIMIT },
    callbacks: { allowCidrs: data.CALLBACK_ALLOW_CIDRS, scheduleScale: data.CALLBACK_SCHEDULE_SCALE },
    billing: {
      // Null: no checkout, no portal.
      stripeKey: data.STRIPE_SECRET_KEY ?? null,
      stripeUrl: new URL(data.STRIPE_API_URL),
      // Several while one is being replaced; none: events are kept, and not believed.
      webhookSecrets: data.STRIPE_WEBHOOK_SECRET,
    },
    egress: { allowHosts: data.EGRESS_ALLOW, allowCidrs: data.EGRESS_ALLOW_CIDRS },
    containerImages: data.CONTAINER_IMAGES,
    worker: { slots: data.WORKER_SLOTS, leaseMs: data.LEASE_MS, warmMemoryBytes: data.WARM_MEMORY_MB * 1024 * 1024 },
    daemons: {
      perWorker: data.WORKER_DAEMONS,
      stallMs: data.DAEMON_STALL_MS,
      watchMs: data.DAEMON_WATCH_MS,
      backoffScale: data.DAEMON_BACKOFF_SCALE,
    },
    shutdownNoticeMs: data.SHUTDOWN_NOTICE_MS,
    // Transcripts, files, delivery logs …; audit entries; whole runs, null for ever.
    retention: {
      days: data.RETENTION_DAYS,
      auditDays: data.AUDIT_RETENTION_DAYS,
      runDays: data.RUN_RETENTION_DAYS ?? null,
    },
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
    installer: installerOf(data, env),
    sandbox: { minLevel: data.SANDBOX_MIN_LEVEL, python: data.PYTHON, bwrap: data.BWRAP, searchPath: data.PATH },
  };
}

function faultWords(issue: z.core.$ZodIssue, given: Env): string {
  if (issue.code !== "invalid_type") return issue.message;
  if (given[String(issue.path[0])] === undefined) return "is needed";
  return issue.expected === "int" ? "must be a whole number" : "must be a number";
}

/** Where agents' packages come from, and how much of them is kept. */
function installerOf(data: z.infer<typeof schema>, env: Env) {
  return {
    // One for each user: what another user can write is not to be run.
    directory: data.ENVIRONMENTS_DIR ?? `/var/tmp/runfleet-${process.getuid?.() ?? 0}/environments`,
    maxBytes: data.ENVIRONMENTS_MAX_BYTES,
    eachMaxBytes: data.ENVIRONMENT_MAX_BYTES,
    deadlineMs: data.INSTALL_TIMEOUT_MS,
    packageHosts: data.PACKAGE_HOSTS,
    env: installerEnv(env),
  };
}

/** Where packages come from: an index, a folder of wheels, certificates, a proxy. */
function installerEnv(env: Env): Record<string, string> {
  const heeded = /^(PIP_|UV_|HOME$|SSL_CERT_FILE$|https?_proxy$|HTTPS?_PROXY$|no_proxy$|NO_PROXY$)/;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && heeded.test(name) ? [[name, value]] : [])),
  );
}
