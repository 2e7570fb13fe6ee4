import { readEnv } from "../shared/platform/config/env.ts";
import { deployMigrations } from "./deploy.ts";

try {
  const { DATABASE_URL: databaseUrl } = readEnv();
  if (!databaseUrl)
    throw new Error("DATABASE_URL (or DATABASE_URL_FILE) is needed: postgresql://user:password@host:port/database");
  const { applied } = await deployMigrations(databaseUrl);
  process.stdout.write(
    applied.length === 0 ? "Nothing to deploy.\n" : applied.map((name) => `Deployed ${name}\n`).join(""),
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
