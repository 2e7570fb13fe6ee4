import { readFileSync } from "node:fs";

export type Env = Record<string, string | undefined>;

/**
 * The process environment, the only reader of it. `NAME_FILE` (a path, as container secrets come) fills `NAME`.
 * Throws when such a file can't be read, naming the variable.
 */
export function readEnv(): Env {
  const env: Env = { ...process.env };
  for (const [name, path] of Object.entries(process.env)) {
    if (!name.endsWith("_FILE") || !path) continue;
    const target = name.slice(0, -"_FILE".length);
    if (!secretNames.has(target)) continue;
    try {
      env[target] = readFileSync(path, "utf8").trim();
    } catch (error) {
      throw new Error(`${name}: can't read ${path}`, { cause: error });
    }
  }
  return env;
}

const secretNames = new Set([
  "DATABASE_URL",
  "REDIS_URL",
  "ENCRYPTION_KEYS",
  "BOOTSTRAP_ADMIN_KEY",
  "INTERNAL_TOKEN",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
]);
