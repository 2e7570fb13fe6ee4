import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { createLog, logFaults } from "../shared/platform/log.ts";
import { openDb } from "../shared/store/client.ts";
import { recordOrphanedCalls } from "./calls/record-orphaned-calls.ts";
import { readPrices } from "./calls/read-prices.ts";

const gatewayFd = 3;
/** A gateway ends within this time. */
const mostMs = 120_000;

/**
 * Keeps the answers that a gateway has read after its worker died. It is started with each gateway and waits in a shell; it
 * begins when its worker has died, and ends with the gateway.
 */
await runProcess(async () => {
  const config = loadConfig(readEnv());
  const log = createLog("keeper", config.logLevel);
  const db = openDb(config.database.url, 2, logFaults(log, "postgres"), {
    ...config.database,
    role: "worker",
  });
  const gateway = new Socket({ fd: gatewayFd }).on("error", () => undefined);
  setTimeout(() => gateway.destroy(), mostMs).unref();
  const deps = { db, keyRing: config.encryptionKeys, prices: await readPrices(config.modelPrices) };
  const kept = await recordOrphanedCalls(deps, createInterface({ input: gateway }));
  if (kept.calls > 0) log.info(kept, "kept the calls of a worker that died");
  await db.close();
});
