import { availableParallelism, totalmem } from "node:os";
import { z } from "zod";
import { egressPattern } from "../../domain/egress/egress-rule.ts";
import { imageRulePattern } from "../../domain/agent/image-rule.ts";
import { canonicalHost, isLoopback } from "../../domain/egress/loopback.ts";
import { defaultPool, poolName, poolRule } from "../../domain/run/pool.ts";
import { adapterTypes, lifecycles } from "../../domain/run/run-modes.ts";
import type { Env } from "./env.ts";
import { readRedisUrl, redisAddress } from "./redis-url.ts";
import { settingsOf } from "./describe-settings.ts";

const MiB = 1024 * 1024;
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** `id:base64` pairs, comma-separated. The first key seals, all keys open. Each has 32 bytes. */
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

/** Host names and addresses, without ports. */
const hostList = commaList.pipe(
  z.array(
    z
      .string()
      .refine((host) => canonicalHost(host) !== null && !/^[^:]+:\d*$|\]:/.test(host), "must be hosts without ports"),
  ),
);
/** A host and a port to listen on. */
const listenAddress = z
  .string()
  .regex(/^(\[[\da-f:]+\]|[^:\s]+):\d{1,5}$/i, "must be a host and a port, like 0.0.0.0:9464")
  .transform((text) => {
    const colon = text.lastIndexOf(":");
    return { host: text.slice(0, colon).replaceAll(/[[\]]/g, ""), port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port }) => port <= 65_535, "must have a port of at most 65535");
const networkList = commaList.pipe(
  z.array(
    z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], { error: "must be networks like 10.0.0.0/8, or addresses" }),
  ),
);
/** The same, each address as the network of it alone. */
const cidrList = networkList.transform((networks) =>
  networks.map((network) => (network.includes("/") ? network : `${network}/${network.includes(":") ? 128 : 32}`)),
);
/** Everybody would be a proxy, whose word for an address counts. */
const proxyList = networkList.refine((networks) => !networks.some((network) => network.endsWith("/0")), {
  error: "must not be all addresses",
});
const originList = commaList.pipe(
  z.array(
    z
      .string()
      .refine(
        (origin) =>
          origin === "*" || (!origin.includes("*") && URL.canParse(origin) && new URL(origin).origin === origin),
        "must be origins like https://app.example.com, as browsers send them, or * alone",
      ),
  ),
);

/** What workers offer: adapters, and lifecycles of adapters. */
const offers = adapterTypes.flatMap((type) =>
  lifecycles.map((lifecycle) => (lifecycle === "serverless" ? type : (`${lifecycle}:${type}` as const))),
);

/** Checked here: a client that misreads a URL would log the password in it. */
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must be a URL like postgresql://user:password@host:5432/database");
const redisUrl = z
  .string()
  .refine(
    (url) => readRedisUrl(url) !== null,
    "must be a URL like redis://:password@host:6379, redis+cluster://:password@host:6379,host:6379 or redis+sentinel://:password@host:26379,host:26379/master, or a socket's path",
  );

/** Without a slash at its end, so that paths can follow. */
const publicUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => new URL(url).search === "" && new URL(url).hash === "", "must have no query and no fragment")
  .transform((url) => url.replace(/\/+$/, ""));

const otlpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

/** `name=value` pairs, comma-separated, both percent-encoded: https://www.w3.org/TR/baggage/#header-content */
const namedValues = commaList.transform((pairs, ctx) =>
  Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf("=");
      try {
        if (at > 0)
          return [[decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())]];
      } catch {
        // A stray percent sign.
      }
      ctx.addIssue({ code: "custom", message: "must be pairs like name=value, comma-separated and percent-encoded" });
      return [];
    }),
  ),
);

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** A secret that an operator chooses and sends as a bearer token. */
const bearer = z.string().regex(/^\S{32,256}$/, "must have 32 to 256 characters, none of them blank");

const schema = z.object({
  DATABASE_URL: databaseUrl,
  // Read by `npm run db:deploy`; checked wherever it is set.
  DIRECT_DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: databaseUrl.optional(),
  DATABASE_POOL: integer(1, 200).default(10),
  DATABASE_POOLER: z.enum(["none", "transaction"]).default("none"),
  REDIS_URL: redisUrl,
  REDIS_PREFIX: z
    .string()
    .regex(
      /^[\w:-]*(\{[\w:-]+\}[\w:-]*)?$/,
      "must be of letters, digits, `:`, `_` and `-`, with at most one hash tag in braces",
    )
    .default("runfleet:"),
  ENCRYPTION_KEYS: keyRing,
  TRACE_FILE: z.string().optional(),
  ALIVE_FILE: z.string().optional(),
  METRICS_ADDRESS: listenAddress.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: namedValues.default({}),
  OTEL_RESOURCE_ATTRIBUTES: namedValues.default({}),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_SDK_DISABLED: z.enum(["true", "false"]).default("false"),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  NODE_ENV: z.string().default("development"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  PUBLIC_URL: publicUrl.optional(),
  HOST: z.string().default("127.0.0.1"),
  PORT: integer(0, 65_535).default(8080),
  ALLOWED_HOSTS: hostList.default([]),
  ALLOWED_ORIGINS: originList.default([]),
  TRUSTED_PROXIES: proxyList.default([]),
  AUTH_MODE: z.enum(["open", "key"]).optional(),
  BOOTSTRAP_ADMIN_KEY: bearer.optional(),
  INTERNAL_TOKEN: bearer.optional(),
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000).optional(),
  ALLOW_OPEN: z.enum(["0", "1"]).default("0"),
  // The former name of ALLOW_OPEN.
  ALLOW_OPEN_IN_PRODUCTION: z.enum(["0", "1"]).default("0"),
  STREAMS_PER_USER: integer(0, 1_000_000).optional(),
  KEYS_PER_USER: integer(1, 1_000_000).default(100),
  AGENTS_PER_USER: integer(1, 10_000_000).default(1_000),
  DAEMONS_PER_USER: integer(1, 1_000_000).default(100),
  JOBS_PER_USER: integer(1, 1_000_000).default(1_000),
  THREADS_PER_USER: integer(1, 10_000_000).default(100_000),
  WEBHOOKS_PER_USER: integer(1, 1_000_000).default(100),
  HOOKS_PER_USER: integer(1, 1_000_000).default(100),
  CONNECTIONS_PER_USER: integer(1, 1_000_000).default(100),
  SECRETS_PER_USER: integer(1, 1_000_000).default(1_000),
  STORE_ITEMS_PER_USER: integer(1, 1_000_000).default(10_000),
  QUEUE_LIMIT: integer(1, 10_000_000).default(100_000),
  OWNER_QUEUE_LIMIT: integer(1, 10_000_000).default(50_000),
  AGENT_QUEUE_LIMIT: integer(1, 10_000_000).default(50_000),
  CALLBACK_ALLOW_CIDRS: cidrList.default([]),
  EGRESS_ALLOW: egressList.default(["*"]),
  MODEL_PRICES: z.string().nullable().default(null),
  EGRESS_ALLOW_CIDRS: cidrList.default([]),
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
  EXPECTED_ADAPTERS: commaList
    .pipe(
      z.array(
        z.enum(offers, { error: "must be adapters, like python, or lifecycles of adapters, like interactive:python" }),
      ),
    )
    .default([]),
  WORKER_POOL: z.string().regex(poolName, poolRule).default(defaultPool),
  WORKER_SLOTS: integer(1, 1024).optional(),
  WORKER_MEMORY_MB: integer(64, 100_000_000).optional(),
  WARM_MEMORY_MB: integer(0, 1_000_000).optional(),
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

/** Every variable that the API or a worker reads. */
export const variableNames: readonly string[] = Object.keys(schema.shape);

/** The first key seals, all keys open. */
export type KeyRing = { id: string; key: Buffer }[];

/** Returns null when the text is no ring. */
export const parseKeyRing = (text: string): KeyRing | null => keyRing.safeParse(text).data ?? null;

export type Config = ReturnType<typeof loadConfig>;

/** Agents mostly wait, for a model or a service. Those that compute share the cores by weights, each run alike. */
const usualSlots = (): number => Math.min(64, 32 * availableParallelism());

/** Three quarters of what the machine has, or of what its container may use: the rest is for the worker, and for what is warm. */
function usualMemory(): number {
  const constrained = process.constrainedMemory();
  // 0 or an absurd figure where there is no limit: https://nodejs.org/docs/latest-v20.x/api/process.html#processconstrainedmemory
  return 0.75 * (constrained > 0 ? Math.min(constrained, totalmem()) : totalmem());
}

/**
 * Memory of a worker, in bytes. With less than 32 MiB a slot, interpreters that are between two runs of a wave would be ended and started
 * again: without a cgroup one of small code counts 24 MiB. At most a quarter of what the machine has.
 */
function memoryOf({ WORKER_MEMORY_MB: forRuns, WARM_MEMORY_MB: warm }: z.infer<typeof schema>, slots: number) {
  const usualWarm = Math.max(512 * MiB, Math.min(32 * MiB * slots, usualMemory() / 3));
  return {
    memoryBytes: forRuns === undefined ? usualMemory() : forRuns * MiB,
    warmMemoryBytes: warm === undefined ? usualWarm : warm * MiB,
  };
}

/** Checks the environment and groups it. Throws one error that lists every fault, without any value. */
export function loadConfig(env: Env) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${describeFault(issue, given)}`);
    throw new Error(`The configuration has faults:\n${faults.join("\n")}`);
  }
  const { data } = parsed;
  const slots = data.WORKER_SLOTS ?? usualSlots();
  const authMode = chooseAuthMode(data);
  return {
    // What operators are shown.
    settings: settingsOf(variableNames, data, given),
    logLevel: data.LOG_LEVEL,
    traceFile: data.TRACE_FILE,
    aliveFile: data.ALIVE_FILE,
    // Where a worker serves its metrics and its health.
    metrics: data.METRICS_ADDRESS,
    tracing: tracingOf(data),
    database: {
      url: data.DATABASE_URL,
      // It may get another URL while a process runs.
      urlFile: given["DATABASE_URL_FILE"],
      // A standby for lists and analytics.
      readUrl: data.DATABASE_READ_URL,
      poolSize: data.DATABASE_POOL,
      // A pooler that gives each transaction another connection knows no prepared statement of the one before.
      prepares: data.DATABASE_POOLER === "none",
    },
    redis: { url: redisAddress(data.REDIS_URL, given["REDIS_URL_FILE"]), prefix: data.REDIS_PREFIX },
    encryptionKeys: data.ENCRYPTION_KEYS,
    // It may get other keys while a process runs.
    encryptionKeysFile: given["ENCRYPTION_KEYS_FILE"],
    // The address under which people and senders reach the API. Empty: addresses are told as paths.
    publicUrl: data.PUBLIC_URL ?? "",
    http: {
      host: data.HOST,
      port: data.PORT,
      trustedProxies: data.TRUSTED_PROXIES,
      // Hosts are checked in open mode only: with keys, a foreign web page has no key to send.
      gate: {
        hosts: authMode === "open" ? data.ALLOWED_HOSTS : null,
        origins: { any: data.ALLOWED_ORIGINS.includes("*"), listed: new Set(data.ALLOWED_ORIGINS) },
      },
    },
    auth: {
      mode: authMode,
      bootstrapAdminKey: data.BOOTSTRAP_ADMIN_KEY,
      internalToken: data.INTERNAL_TOKEN,
      // For one user with all their keys or, in open mode, for one address. 0 is no limit.
      requestsPerMinute: data.RATE_LIMIT_PER_MINUTE ?? (authMode === "key" ? 6_000 : 0),
      streams: data.STREAMS_PER_USER ?? (authMode === "key" ? 100 : 0),
    },
    perUser: limitsPerUser(data),
    queue: { total: data.QUEUE_LIMIT, perOwner: data.OWNER_QUEUE_LIMIT, perAgent: data.AGENT_QUEUE_LIMIT },
    callbacks: { allowCidrs: data.CALLBACK_ALLOW_CIDRS, scheduleScale: data.CALLBACK_SCHEDULE_SCALE },
    billing: {
      // Null for no checkout and no portal.
      stripeKey: data.STRIPE_SECRET_KEY ?? null,
      stripeUrl: new URL(data.STRIPE_API_URL),
      // Several while one is being replaced. Without any, events are answered 503 and not kept.
      webhookSecrets: data.STRIPE_WEBHOOK_SECRET,
    },
    modelPrices: data.MODEL_PRICES,
    egress: { allowHosts: data.EGRESS_ALLOW, allowCidrs: data.EGRESS_ALLOW_CIDRS },
    containerImages: data.CONTAINER_IMAGES,
    // Offers that are accepted and make the API ready while no live worker has them.
    expectedAdapters: data.EXPECTED_ADAPTERS,
    worker: {
      pool: data.WORKER_POOL,
      slots,
      ...memoryOf(data, slots),
      leaseMs: data.LEASE_MS,
    },
    daemons: {
      perWorker: data.WORKER_DAEMONS,
      stallMs: data.DAEMON_STALL_MS,
      watchMs: data.DAEMON_WATCH_MS,
      backoffScale: data.DAEMON_BACKOFF_SCALE,
    },
    shutdownNoticeMs: data.SHUTDOWN_NOTICE_MS,
    // `days`: transcripts, files, delivery logs. `auditDays`: audit entries. `runDays`: whole runs, null to keep them for ever.
    retention: {
      days: data.RETENTION_DAYS,
      auditDays: data.AUDIT_RETENTION_DAYS,
      runDays: data.RUN_RETENTION_DAYS ?? null,
    },
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
    installer: installerOf(data, given),
    sandbox: { minLevel: data.SANDBOX_MIN_LEVEL, python: data.PYTHON, bwrap: data.BWRAP, searchPath: data.PATH },
  };
}

/** Where spans are sent and which ones; null: nowhere. */
export type TracingConfig = {
  url: string;
  headers: Record<string, string>;
  /** What describes this process beside its role. */
  resource: Record<string, string>;
  serviceName: string | null;
  sampler: (typeof samplers)[number];
  /** The part of traces that a `traceidratio` sampler takes. */
  ratio: number;
};

function tracingOf(data: z.output<typeof schema>): TracingConfig | null {
  const base = data.OTEL_EXPORTER_OTLP_ENDPOINT;
  // https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp
  const url = data.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined || data.OTEL_SDK_DISABLED === "true") return null;
  return {
    url,
    headers: data.OTEL_EXPORTER_OTLP_HEADERS,
    resource: data.OTEL_RESOURCE_ATTRIBUTES,
    serviceName: data.OTEL_SERVICE_NAME ?? null,
    sampler: data.OTEL_TRACES_SAMPLER,
    ratio: data.OTEL_TRACES_SAMPLER_ARG,
  };
}

const limitsPerUser = (data: z.output<typeof schema>) => ({
  keys: data.KEYS_PER_USER,
  agents: data.AGENTS_PER_USER,
  daemons: data.DAEMONS_PER_USER,
  jobs: data.JOBS_PER_USER,
  threads: data.THREADS_PER_USER,
  webhooks: data.WEBHOOKS_PER_USER,
  hooks: data.HOOKS_PER_USER,
  connections: data.CONNECTIONS_PER_USER,
  secrets: data.SECRETS_PER_USER,
  storeItems: data.STORE_ITEMS_PER_USER,
});

type AuthSettings = Pick<z.output<typeof schema>, "AUTH_MODE" | "HOST" | "ALLOW_OPEN" | "ALLOW_OPEN_IN_PRODUCTION">;

/** Without keys only this machine is served, unless ALLOW_OPEN allows everybody. Throws for another HOST without either. */
function chooseAuthMode({ AUTH_MODE, HOST, ALLOW_OPEN, ALLOW_OPEN_IN_PRODUCTION }: AuthSettings): "open" | "key" {
  if (AUTH_MODE === "key") return "key";
  if (isLoopback(canonicalHost(HOST) ?? "") || ALLOW_OPEN === "1" || ALLOW_OPEN_IN_PRODUCTION === "1") return "open";
  throw new Error(
    `HOST=${HOST} can be reached from other machines, and without keys everybody there may run code here. Set AUTH_MODE=key and BOOTSTRAP_ADMIN_KEY (a secret of 32 characters or more, such as \`openssl rand -hex 32\` gives) and make the first key with POST /v1/users/me/api-keys; or set HOST=127.0.0.1; or, behind a gate of your own, ALLOW_OPEN=1.`,
  );
}

function describeFault(issue: z.core.$ZodIssue, given: Env): string {
  if (issue.code !== "invalid_type") return issue.message;
  if (given[String(issue.path[0])] === undefined) return "is needed";
  return issue.expected === "int" ? "must be a whole number" : "must be a number";
}

/** The settings for agents' packages: where they come from and how much space they may take. */
function installerOf(data: z.infer<typeof schema>, env: Env) {
  return {
    // One for each user of the machine: code in a folder that another user can write must not run.
    directory: data.ENVIRONMENTS_DIR ?? `/var/tmp/runfleet-${process.getuid?.() ?? 0}/environments`,
    maxBytes: data.ENVIRONMENTS_MAX_BYTES,
    eachMaxBytes: data.ENVIRONMENT_MAX_BYTES,
    deadlineMs: data.INSTALL_TIMEOUT_MS,
    packageHosts: data.PACKAGE_HOSTS,
    env: installerEnv(env),
  };
}

/** The variables that say where packages come from: an index, a folder of wheels, certificates, a proxy. */
function installerEnv(env: Env): Record<string, string> {
  const passed =
    /^(PIP_|UV_|(npm_config_registry|NPM_CONFIG_REGISTRY)$|HOME$|SSL_CERT_FILE$|https?_proxy$|HTTPS?_PROXY$|no_proxy$|NO_PROXY$)/;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passed.test(name) ? [[name, value]] : [])),
  );
}
