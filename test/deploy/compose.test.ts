import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { readEnv } from "../../shared/platform/config/env.ts";
import { loadConfig, variableNames } from "../../shared/platform/config/load-config.ts";

type Service = {
  command?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  healthcheck?: unknown;
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
  cap_drop?: string[];
  security_opt?: string[];
  read_only?: boolean;
  networks?: string[];
  secrets?: string[];
  mem_limit?: string;
  pids_limit?: number;
  tmpfs?: string[];
};

const {
  services,
  networks,
  secrets,
}: {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
} = parse(readFileSync("docker-compose.yml", "utf8"), {
  merge: true,
});

test("nothing is published beyond this machine's loopback", () => {
  const published = Object.values(services).flatMap(({ ports }) => ports ?? []);
  expect(published.length).toBeGreaterThan(0);
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
});

const folder = mkdtempSync(join(tmpdir(), "secrets-"));
const made = join(folder, "made");
const makeSecrets = (env: Record<string, string> = {}) =>
  execFileSync("sh", ["deploy/make-secrets.sh"], { env: { PATH: readEnv()["PATH"], SECRETS_DIR: made, ...env } });
const readSecret = (name: string): string => readFileSync(join(made, name), "utf8").trim();
afterAll(() => rmSync(folder, { recursive: true }));

test("each secret is a file that the script makes once, and in nobody's environment", () => {
  makeSecrets({ REDIS_PASSWORD: "given" });
  const text = readFileSync("docker-compose.yml", "utf8");
  expect(text).not.toMatch(
    /PASSWORD:-|PASSWORD:\?|(_URL|_KEYS|ADMIN_KEY|_TOKEN): \$\{(DATABASE|REDIS|ENCRYPTION|BOOTSTRAP|INTERNAL)/,
  );
  expect(Object.keys(secrets).toSorted()).toEqual(readdirSync(made).toSorted());
  for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`\${SECRETS_DIR:-./secrets}/${name}`);
  for (const service of Object.values(services))
    for (const path of Object.values(service.environment ?? {}).filter((value) => value.startsWith("/run/secrets/")))
      expect(service.secrets).toContain(path.slice("/run/secrets/".length));
  expect(statSync(made).mode & 0o777).toBe(0o700);
  const before = readSecret("encryption_keys");
  makeSecrets();
  expect(readSecret("encryption_keys")).toBe(before);
});

test("an API starts with the secrets that the script makes, and they agree with each other", () => {
  makeSecrets();
  const { environment = {} } = services["api"] ?? {};
  const files = Object.entries(environment).filter(([, path]) => path.startsWith("/run/secrets/"));
  const env = Object.fromEntries(
    files.map(([name, path]) => [name.slice(0, -5), readSecret(path.slice("/run/secrets/".length))]),
  );
  const config = loadConfig({ ...env, AUTH_MODE: "key" });
  expect(new URL(config.database.url).password).toBe(readSecret("postgres_password"));
  expect(config.redis.url).toContain(`:${readSecret("redis_password")}@redis:6379`);
  expect(readSecret("redis_conf")).toBe(`requirepass ${readSecret("redis_password")}`);
  expect(config.encryptionKeys).toHaveLength(1);
});

test("Redis keeps what it has and evicts nothing", () => {
  expect(services["redis"]?.command?.join(" ")).toContain(
    "--appendonly yes --appendfsync everysec --maxmemory-policy noeviction",
  );
});

test("api and worker wait for the migrations, have health checks, and may drain before they are killed", () => {
  for (const name of ["api", "worker"]) {
    const service = services[name];
    expect(service?.depends_on?.["migrate"]?.condition).toBe("service_completed_successfully");
    expect(service?.healthcheck).toBeDefined();
    expect(service?.stop_grace_period).toBeDefined();
  }
  expect(Number(services["worker"]?.environment?.["SHUTDOWN_GRACE_MS"])).toBeLessThan(600_000);
});

test("Postgres is healthy once it listens where others reach it, and not while its image makes the database", () => {
  expect(services["postgres"]?.healthcheck).toMatchObject({ test: expect.arrayContaining(["-h", "127.0.0.1"]) });
});

test("each role's command is a file that the build makes", () => {
  for (const name of ["api", "worker", "migrate"]) {
    const file = services[name]?.command?.[1] ?? "";
    expect([file, existsSync(file)]).toEqual([file, true]);
  }
});

/** Set by the image or by the file itself, or of no use in a container. */
const fixed = ["NODE_ENV", "PATH", "PYTHON", "BWRAP", "TRACE_FILE", "ENVIRONMENTS_DIR", "HOST", "PORT"];
/** What only one of the two reads. */
const workerOnly = [
  "WORKER_POOL",
  "WORKER_SLOTS",
  "WORKER_MEMORY_MB",
  "METRICS_ADDRESS",
  "WARM_MEMORY_MB",
  "WORKER_DAEMONS",
  "SANDBOX_MIN_LEVEL",
  "ALIVE_FILE",
];
const apiOnly = [
  "SHUTDOWN_NOTICE_MS",
  "DATABASE_READ_URL",
  "DIRECT_DATABASE_URL",
  "BOOTSTRAP_ADMIN_KEY",
  "INTERNAL_TOKEN",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "STRIPE_API_URL",
];

test("each variable that can be set reaches its service", () => {
  const reaches = (service: string, others: string[]) => {
    const passed = Object.keys(services[service]?.environment ?? {}).map((name) =>
      name === "ALIVE_FILE" ? name : name.replace(/_FILE$/, ""),
    );
    return variableNames.filter((name) => !passed.includes(name) && !fixed.includes(name) && !others.includes(name));
  };
  expect(reaches("api", workerOnly)).toEqual([]);
  expect(reaches("worker", apiOnly)).toEqual([]);
});

test("a worker gets no key of the API, and the migrations know the database alone", () => {
  const keys = /BOOTSTRAP|INTERNAL|STRIPE/;
  expect(services["worker"]?.secrets).toEqual(["database_url", "redis_url", "encryption_keys"]);
  expect(Object.keys(services["worker"]?.environment ?? {}).filter((name) => keys.test(name))).toEqual([]);
  expect(services["migrate"]?.secrets).toEqual(["database_url"]);
  expect(Object.keys(services["migrate"]?.environment ?? {})).toEqual(["DATABASE_URL_FILE", "DIRECT_DATABASE_URL"]);
});

test("the key for the first API key can be emptied by its owner, and settings with keys are not committed or built in", () => {
  makeSecrets();
  expect(statSync(join(made, "bootstrap_admin_key")).mode & 0o777).toBe(0o644);
  for (const file of [".gitignore", ".dockerignore"]) expect(readFileSync(file, "utf8").split("\n")).toContain(".env");
});

test("a file that is mounted into the API is named to no other service, which could not read it", () => {
  const mounted = Object.values(services).flatMap(({ secrets: own = [] }) => own.map((name) => `/run/secrets/${name}`));
  for (const [name, { environment = {} }] of Object.entries(services).filter(([service]) => service !== "api"))
    for (const [variable, path] of Object.entries(environment).filter(([key]) => key.endsWith("_FILE")))
      if (variable !== "ALIVE_FILE") expect([name, variable, mounted.includes(path)]).toEqual([name, variable, true]);
});

const needed = {
  DATABASE_URL: "postgresql://runfleet@postgres/runfleet",
  REDIS_URL: "redis://redis",
  AUTH_MODE: "key",
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString("base64")}`,
};

test("workers install from the index and the registry that are set, and an empty one is none", () => {
  const { environment = {} } = services["worker"] ?? {};
  const index = { PIP_INDEX_URL: "", NPM_CONFIG_REGISTRY: "" };
  expect(environment).toMatchObject({
    PIP_INDEX_URL: "${PIP_INDEX_URL:-}",
    NPM_CONFIG_REGISTRY: "${NPM_CONFIG_REGISTRY:-}",
  });
  expect(loadConfig({ ...needed, ...index }).installer.env).toEqual({});
});

test("packages of agents fit into the volume that they are installed in, beside one that is being installed", () => {
  const [, gigabytes = "0"] =
    services["worker"]?.tmpfs?.map((one) => /^\/var\/tmp:.*size=(\d+)g/.exec(one)).find(Boolean) ?? [];
  const [, limit = "Infinity"] =
    /:-(\d+)/.exec(services["worker"]?.environment?.["ENVIRONMENTS_MAX_BYTES"] ?? "") ?? [];
  const one = loadConfig(needed).installer.eachMaxBytes;
  expect(Number(limit) + one).toBeLessThanOrEqual(Number(gigabytes) * 1024 ** 3);
});

test("what is passed on is the variable of that name, and empty where it isn't set", () => {
  for (const service of ["api", "worker"])
    for (const [name, value] of Object.entries(services[service]?.environment ?? {}))
      if (value.startsWith("${")) expect(value).toMatch(new RegExp(`^\\$\\{${name}(:-[a-z0-9]*|:\\?set ${name})\\}$`));
});

test("requests need a key unless somebody says otherwise, and agents get level 2 or do not run", () => {
  expect(services["api"]?.environment).toMatchObject({
    AUTH_MODE: "${AUTH_MODE:-key}",
    ALLOW_OPEN_IN_PRODUCTION: "${ALLOW_OPEN_IN_PRODUCTION:-}",
  });
  expect(services["worker"]?.environment?.["SANDBOX_MIN_LEVEL"]).toBe("${SANDBOX_MIN_LEVEL:-2}");
});

test("no service has a capability to spare, gains one, writes to its image or uses all of the machine", () => {
  for (const [name, service] of Object.entries(services)) {
    expect([name, service.cap_drop, service.read_only]).toEqual([name, ["ALL"], true]);
    expect(service.security_opt).toContain("no-new-privileges:true");
    expect([name, typeof service.mem_limit, typeof service.pids_limit]).toEqual([name, "string", "number"]);
  }
});

test("the worker's container has what level 2 needs, and its profile is in the repository", () => {
  const options = services["worker"]?.security_opt ?? [];
  expect(options).toEqual(expect.arrayContaining(["apparmor=unconfined", "systempaths=unconfined"]));
  const profile = options.find((option) => option.startsWith("seccomp="))?.slice("seccomp=".length) ?? "";
  expect(existsSync(profile)).toBe(true);
});

test("Postgres and Redis are on a network of the services' own without a way out", () => {
  expect(networks["data"]).toEqual({ internal: true });
  expect([services["postgres"]?.networks, services["redis"]?.networks]).toEqual([["data"], ["data"]]);
  expect(services["worker"]?.networks).toEqual(["data", "egress"]);
  expect(services["worker"]?.ports).toBeUndefined();
});
