import { setTimeout as sleep } from "node:timers/promises";
import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { createLog } from "../shared/platform/log.ts";
import { addUncaughtErrorMetrics } from "../shared/platform/lifecycle/uncaught-error-metrics.ts";
import { writeTrace } from "../shared/platform/run-trace-marks.ts";
import { openTracing } from "../shared/platform/tracing/open-tracing.ts";
import { stalledExitCode } from "./fleet/detect-stall.ts";
import { openMachine } from "./machine.ts";
import { openWorker } from "./open-worker.ts";

await runProcess(async (signal, survive) => {
  const config = loadConfig(readEnv());
  if (config.traceFile) writeTrace(config.traceFile);
  const log = createLog("worker", config.logLevel);
  const tracing = await openTracing(config.tracing, "worker", log);
  // Before the worker: one that can't isolate must not register.
  const machine = await openMachine(config, log);
  const worker = await openWorker(config, log, { machine, tracing });
  const net = survive(log);
  addUncaughtErrorMetrics(worker.registry, net);
  const asked = aborted(signal).then(() => ({ graceMs: config.shutdownGraceMs, stalled: false }));
  const broken = net.broken.then(() => ({ graceMs: config.shutdownGraceMs, stalled: true }));
  const { graceMs, stalled } = await Promise.race([asked, worker.dismissed, broken]);
  log.info("draining");
  const left = worker
    .close(graceMs)
    .then(() => machine.close())
    .then(() => tracing?.close());
  if (!stalled) return left;
  process.exitCode = stalledExitCode;
  // The cause of the stall may also keep this worker from leaving in order.
  await Promise.race([left, sleep(graceMs + 15_000)]);
});
