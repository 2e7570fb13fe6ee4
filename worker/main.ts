import { setTimeout as sleep } from "node:timers/promises";
import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { createLog } from "../shared/platform/log.ts";
import { writeTrace } from "../shared/platform/trace.ts";
import { createWorkerContext } from "./context.ts";
import { stalledExitCode } from "./fleet/detect-stall.ts";
import { joinFleet } from "./fleet/join-fleet.ts";

await runProcess(async (signal, survive) => {
  const config = loadConfig(readEnv());
  if (config.traceFile) writeTrace(config.traceFile);
  const log = createLog("worker", config.logLevel);
  const ctx = await createWorkerContext(config, log);
  const member = await joinFleet(ctx).catch((error: unknown) => {
    throw new Error(`The worker can't register in Postgres: ${error instanceof Error ? error.message : String(error)}`);
  });
  const net = survive(log);
  log.info({ worker_id: ctx.workerId, slots: config.worker.slots, sandbox: ctx.sandbox.report }, "worker ready");
  const asked = aborted(signal).then(() => ({ graceMs: config.shutdownGraceMs, stalled: false }));
  const broken = net.broken.then(() => ({ graceMs: config.shutdownGraceMs, stalled: true }));
  const { graceMs, stalled } = await Promise.race([asked, member.dismissed, broken]);
  log.info("draining");
  const left = member.drain(graceMs).then(() => ctx.close());
  if (!stalled) return left;
  process.exitCode = stalledExitCode;
  // The cause of the stall may also keep this worker from leaving in order.
  await Promise.race([left, sleep(graceMs + 15_000)]);
});
