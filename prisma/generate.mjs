// Generates the Prisma client, unless the one that stands was made from the same schema by the same Prisma.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = fileURLToPath(new URL("../shared/store/generated/.made-from", import.meta.url));

const madeFrom = createHash("sha256")
  .update(readFileSync(new URL("schema.prisma", import.meta.url)))
  .update(readFileSync(require.resolve("prisma/package.json")))
  .digest("hex");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== madeFrom) {
  // The CLI looks for a schema engine even where it needs none; any file that exists will do, and nothing is downloaded.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
  };
  const cli = require.resolve("prisma/build/index.js");
  const { status } = spawnSync(process.execPath, ["--liftoff-only", cli, "generate"], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, madeFrom);
}
