import { readFileSync } from "node:fs";

export type Env = Record<string, string | undefined>;

/**
 * Returns the process environment. Only this function reads it. The file that `NAME_FILE` names, as container secrets come,
 * becomes `NAME` for the secrets below. Throws when such a file can't be read.
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
  "DIRECT_DATABASE_URL",
  "DATABASE_READ_URL",
  "REDIS_URL",
  "ENCRYPTION_KEYS",
  "BOOTSTRAP_ADMIN_KEY",
  "INTERNAL_TOKEN",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
]);
