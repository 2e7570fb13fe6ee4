import { readEnv } from "../shared/platform/config/env.ts";
import { deployMigrations } from "./deploy.ts";
import { errorText } from "../shared/platform/error-text.ts";

try {
  const env = readEnv();
  // A pooler that gives each transaction another connection can't hold the lock of the migrations.
  const databaseUrl = env["DIRECT_DATABASE_URL"] || env["DATABASE_URL"];
  if (!databaseUrl)
    throw new Error("DATABASE_URL (or DATABASE_URL_FILE) is needed: postgresql://user:password@host:port/database");
  const { applied } = await deployMigrations(databaseUrl);
  process.stdout.write(
    applied.length === 0 ? "Nothing to deploy.\n" : applied.map((name) => `Deployed ${name}\n`).join(""),
  );
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
