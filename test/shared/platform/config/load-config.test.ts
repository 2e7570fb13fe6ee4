import { expect, test } from "vitest";
import { loadConfig, variableNames } from "../../../../shared/platform/config/load-config.ts";
import { readRedisUrl } from "../../../../shared/platform/config/redis-url.ts";
import { isForbiddenAddress } from "../../../../shared/platform/net/address-guard.ts";

const env = {
  DATABASE_URL: "postgresql://localhost/x",
  REDIS_URL: "redis://localhost",
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
};
const exposed = { ...env, HOST: "0.0.0.0" };

test.each(["0.0.0.0", "::", "10.0.0.7", "runfleet.example.com", "127.0.0.1.example.com"])(
  "an API on %s without keys refuses to start and says what to set, whatever NODE_ENV is",
  (HOST) => {
    for (const more of [{}, { NODE_ENV: "production" }, { NODE_ENV: "development" }, { AUTH_MODE: "open" }])
      expect(() => loadConfig({ ...env, HOST, ...more })).toThrow(/AUTH_MODE=key.*first key.*ALLOW_OPEN=1/);
    expect(loadConfig({ ...env, HOST, AUTH_MODE: "key" }).auth.mode).toBe("key");
  },
);

test("it starts without keys where somebody says so, under the setting's former name too, or on loopback", () => {
  for (const more of [{ ALLOW_OPEN: "1" }, { ALLOW_OPEN_IN_PRODUCTION: "1" }])
    expect(loadConfig({ ...exposed, ...more }).auth.mode).toBe("open");
  for (const HOST of ["127.0.0.1", "127.8.8.8", "localhost", "::1", "LOCALHOST"])
    expect(loadConfig({ ...env, HOST }).auth.mode).toBe("open");
});

test("a worker with more slots keeps more interpreters warm, unless somebody says how much memory they get", () => {
  const warmMiB = (more: Record<string, string>) => loadConfig({ ...env, ...more }).worker.warmMemoryBytes / 2 ** 20;
  expect(warmMiB({ WORKER_SLOTS: "8" })).toBe(512);
  // Three quarters of the machine are for runs.
  const quarter = loadConfig(env).worker.memoryBytes / 3 / 2 ** 20;
  expect(warmMiB({ WORKER_SLOTS: "32" })).toBe(Math.max(512, Math.min(1_024, quarter)));
  expect(warmMiB({ WORKER_SLOTS: "64", WARM_MEMORY_MB: "100" })).toBe(100);
});

test("a host with a port, an origin that no browser sends, or all the world as a proxy, is refused", () => {
  expect(() => loadConfig({ ...env, ALLOWED_HOSTS: "a.example:80" })).toThrow("ALLOWED_HOSTS");
  expect(() => loadConfig({ ...env, ALLOWED_ORIGINS: "https://a.example/" })).toThrow("ALLOWED_ORIGINS");
  expect(() => loadConfig({ ...env, ALLOWED_ORIGINS: "https://*.example" })).toThrow("ALLOWED_ORIGINS");
  for (const all of ["0.0.0.0/0", "::/0"])
    expect(() => loadConfig({ ...env, TRUSTED_PROXIES: all })).toThrow("TRUSTED_PROXIES");
  expect(loadConfig({ ...env, ALLOWED_ORIGINS: "*" }).http.gate.origins.any).toBe(true);
  const { gate } = loadConfig({ ...env, ALLOWED_HOSTS: "A.example, fd00:1:2:3:4:5:6:7, [::2]" }).http;
  expect(gate.hosts).toEqual(["A.example", "fd00:1:2:3:4:5:6:7", "[::2]"]);
});

test.each(["CALLBACK_ALLOW_CIDRS", "EGRESS_ALLOW_CIDRS"])(
  "%s takes networks and addresses, and refuses what would be none to every target",
  (name) => {
    for (const wrong of ["intranet", "10.0.0.5/", "10.0.0.0/33", "10.0.0.0/8;fd00::/8", "127.0.0.0/8,10.0.0"])
      expect(() => loadConfig({ ...env, [name]: wrong })).toThrow(new RegExp(`${name}\\.\\d: must be networks`));
    const { callbacks, egress } = loadConfig({ ...env, [name]: "10.0.0.5, fd00::/8, ::1, 192.168.0.0/16" });
    const { allowCidrs } = name === "CALLBACK_ALLOW_CIDRS" ? callbacks : egress;
    expect(allowCidrs).toEqual(["10.0.0.5/32", "fd00::/8", "::1/128", "192.168.0.0/16"]);
    for (const ip of ["10.0.0.5", "::1", "192.168.7.7"]) expect(isForbiddenAddress(ip, allowCidrs)).toBe(false);
    expect(isForbiddenAddress("10.0.0.6", allowCidrs)).toBe(true);
  },
);

test("keys are limited by default, an open API isn't, and either can be set", () => {
  const limit = (more: Record<string, string>) => loadConfig({ ...env, ...more }).auth.requestsPerMinute;
  expect([limit({}), limit({ AUTH_MODE: "key" })]).toEqual([0, 6_000]);
  expect([limit({ RATE_LIMIT_PER_MINUTE: "9" }), limit({ AUTH_MODE: "key", RATE_LIMIT_PER_MINUTE: "0" })]).toEqual([
    9, 0,
  ]);
});

test.each(["BOOTSTRAP_ADMIN_KEY", "INTERNAL_TOKEN"])(
  "a %s that can be guessed is refused, and not repeated",
  (name) => {
    expect(() => loadConfig({ ...env, [name]: "hunter2" })).toThrow(name);
    expect(() => loadConfig({ ...env, [name]: "hunter2" })).not.toThrow("hunter2");
  },
);

test.each([
  ["DATABASE_URL", "mysql://u:hunter2@h/x", "must be a URL like postgresql://"],
  ["REDIS_URL", "http://:hunter2@h", "must be a URL like redis://"],
  ["ENCRYPTION_KEYS", "k1:hunter2", "must be <id>:<base64 of 32 bytes>"],
  ["DATABASE_URL", "", "is needed"],
  ["PORT", "hunter2", "must be a number"],
  ["PORT", "1.5", "must be a whole number"],
])("a %s of '%s' is refused: it %s; what was given is not repeated", (name, value, words) => {
  const load = () => loadConfig({ ...env, [name]: value });
  expect(load).toThrow(new RegExp(`^The configuration has faults:\\n  ${name}: .*${words}`));
  expect(load).not.toThrow("hunter2");
});

test.each([
  ["rediss+cluster://u:p%40@one:1,[::1]:2", { kind: "cluster", tls: true, username: "u", password: "p@" }],
  ["redis+cluster://one", { kind: "cluster", tls: false, nodes: [{ host: "one", port: 6379 }] }],
  ["redis+sentinel://:p@one,two:9/main", { kind: "sentinel", master: "main", db: 0, password: "p" }],
  ["redis+sentinel://one/main/3?sentinel_password=a%20b", { master: "main", db: 3, sentinelPassword: "a b" }],
  ["redis://:p@one:1", { kind: "single" }],
])("REDIS_URL=%s says where Redis is", (url, place) => {
  expect(readRedisUrl(url)).toMatchObject(place);
  expect(loadConfig({ ...env, REDIS_URL: url }).redis.url).toBe(url);
});

test.each(["redis+cluster://one,,two", "redis+cluster://one:99999", "redis+sentinel://one:1", "http://secret@one"])(
  "REDIS_URL=%s is refused, and not shown",
  (REDIS_URL) => {
    expect(() => loadConfig({ ...env, REDIS_URL })).toThrow(/REDIS_URL: must be a URL like/);
    expect(() => loadConfig({ ...env, REDIS_URL })).not.toThrow(REDIS_URL);
  },
);

test("a prefix may have one hash tag; expected adapters are ones that there are; a pooler is one that is known", () => {
  expect(loadConfig({ ...env, REDIS_PREFIX: "a:{runfleet}:" }).redis.prefix).toBe("a:{runfleet}:");
  for (const REDIS_PREFIX of ["{a}{b}", "{}", "{a", "a}"])
    expect(() => loadConfig({ ...env, REDIS_PREFIX })).toThrow("REDIS_PREFIX");
  const expected = { ...env, EXPECTED_ADAPTERS: "python, interactive:python" };
  expect(loadConfig(expected).expectedAdapters).toEqual(["python", "interactive:python"]);
  expect(() => loadConfig({ ...env, EXPECTED_ADAPTERS: "pyhton" })).toThrow(/EXPECTED_ADAPTERS.*must be adapters/);
  expect(loadConfig({ ...env, DATABASE_POOLER: "transaction" }).database.prepares).toBe(false);
  expect(() => loadConfig({ ...env, DATABASE_POOLER: "1" })).toThrow("DATABASE_POOLER");
  expect(() => loadConfig({ ...env, DATABASE_READ_URL: "standby" })).toThrow("DATABASE_READ_URL");
});

test("operators are shown every variable, and no secret of any", () => {
  const secret = "hidden-0123456789-0123456789-0123456789";
  const settings = loadConfig({
    ...env,
    DATABASE_URL: `postgresql://u:${secret}@localhost/db`,
    REDIS_URL: `redis://:${secret}@localhost:6379`,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, "hidden").toString("base64")}`,
    AUTH_MODE: "key",
    BOOTSTRAP_ADMIN_KEY: secret,
    INTERNAL_TOKEN: secret,
    STRIPE_SECRET_KEY: secret,
    STRIPE_WEBHOOK_SECRET: secret,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}`,
    MODEL_PRICES: secret,
    PORT: "8099",
  }).settings;
  expect(settings.map(({ name }) => name)).toEqual([...variableNames].sort());
  expect(JSON.stringify(settings)).not.toMatch(/hidden|aGlkZGVu/);
  const find = (name: string) => settings.find((setting) => setting.name === name);
  expect(find("PORT")).toEqual({ name: "PORT", is_set: true, value: 8099 });
  expect(find("QUEUE_LIMIT")).toEqual({ name: "QUEUE_LIMIT", is_set: false, value: 100_000 });
  expect(find("INTERNAL_TOKEN")).toEqual({ name: "INTERNAL_TOKEN", is_set: true, value: null });
});
