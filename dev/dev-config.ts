import { z } from "zod";
import type { Env } from "../shared/platform/config/env.ts";

const schema = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  WORKERS: z.coerce.number().int().min(0).max(256).default(2),
  DATA_DIR: z.string().default(".data"),
  DATABASE_URL: z.string().optional(),
  REDIS_URL: z.string().optional(),
  ENCRYPTION_KEYS: z.string().optional(),
});
export type DevConfig = z.infer<typeof schema>;

/** Reads the launcher's own settings. The processes get all others unchanged. Throws one error with all faults. */
export function loadDevConfig(env: Env): DevConfig {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")));
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
}
