// Runs the Prisma CLI (arguments as they come) with our engine, so that nothing is fetched:
//   node prisma/prisma-offline.mjs migrate dev --name add_something
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const env = {
  ...process.env,
  PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(new URL("schema-engine-shim.mjs", import.meta.url)),
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
  CHECKPOINT_DISABLE: "1",
};
const cli = createRequire(import.meta.url).resolve("prisma/build/index.js");
const { status } = spawnSync(process.execPath, ["--liftoff-only", cli, ...process.argv.slice(2)], {
  env,
  stdio: "inherit",
});
process.exit(status ?? 1);
