import { expect, test } from "vitest";
import { loadConfig } from "../../../shared/config/load-config.ts";

const env = {
  DATABASE_URL: "postgresql://localhost/x",
  REDIS_URL: "redis://localhost",
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
};
const production = { ...env, NODE_ENV: "production", HOST: "0.0.0.0" };

test("in production an API that is open to everybody serves loopback only, unless somebody says so", () => {
  expect(() => loadConfig(production)).toThrow("AUTH_MODE=open");
  for (const more of [{ HOST: "127.0.0.1" }, { ALLOW_OPEN_IN_PRODUCTION: "1" }, { AUTH_MODE: "key" }])
    expect(() => loadConfig({ ...production, ...more })).not.toThrow();
});

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
