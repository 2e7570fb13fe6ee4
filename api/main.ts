import { collectDefaultMetrics } from "prom-client";
import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { createLog } from "../shared/platform/log.ts";
import { addUncaughtErrorMetrics } from "../shared/platform/lifecycle/uncaught-error-metrics.ts";
import { writeTrace } from "../shared/platform/run-trace-marks.ts";
import { openTracing } from "../shared/platform/tracing/open-tracing.ts";
import { openApi } from "./open-api.ts";

/** Asks the supervisor to start the process again: EX_TEMPFAIL of sysexits.h. */
const brokenExitCode = 75;

await runProcess(async (signal, survive) => {
  const config = loadConfig(readEnv());
  if (config.traceFile) writeTrace(config.traceFile);
  const log = createLog("api", config.logLevel);
  const tracing = await openTracing(config.tracing, "api", log);
  const api = await openApi(config, log, tracing);
  collectDefaultMetrics({ register: api.processMetrics });
  if (config.auth.mode === "open") log.warn("AUTH_MODE=open: anyone who can reach this address can run code here");
  if (config.auth.mode === "open" && config.http.gate.origins.any)
    log.warn("ALLOWED_ORIGINS=* without keys: any web page that is opened on this machine can run code here");
  log.info({ host: config.http.host, port: config.http.port }, "api ready");
  const net = survive(log);
  addUncaughtErrorMetrics(api.processMetrics, net);
  const broken = net.broken.then(() => (process.exitCode = brokenExitCode));
  await Promise.race([aborted(signal), broken]);
  log.info("shutting down");
  await api.close();
  await tracing?.close();
});
