import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { createLog } from "../shared/platform/log.ts";
import { writeTrace } from "../shared/platform/trace.ts";
import { createApiContext } from "./context.ts";
import { startBulkWork } from "./bulk/work-on-bulk-operations.ts";
import { createHttpApp } from "./http/create-http-app.ts";
import { createHttpServer } from "./http/create-http-server.ts";
import { closeConnectionsWhenLeaving, drainServer } from "./http/drain-server.ts";
import { operations } from "./operations.ts";
import { protocols } from "./protocols/protocols.ts";
import { exportFaults } from "./system/metrics.ts";
import { withDocs } from "./system/with-docs.ts";

/** Asks the supervisor to start the process again: EX_TEMPFAIL of sysexits.h. */
const brokenExitCode = 75;

await runProcess(async (asked, survive) => {
  const config = loadConfig(readEnv());
  if (config.traceFile) writeTrace(config.traceFile);
  const log = createLog("api", config.logLevel);
  const ending = new AbortController();
  const { signal } = ending;
  void aborted(asked).then(() => ending.abort());
  const context = createApiContext(config, log, signal);
  const bulk = startBulkWork(context);
  const app = createHttpApp({
    operations: withDocs(operations),
    protocols,
    context,
    guards: context.guards,
    gate: config.http.gate,
    log,
  });
  const server = createHttpServer(app, { headersMs: 10_000, requestMs: 60_000 });
  closeConnectionsWhenLeaving(server, signal);
  server.listen(config.http.port, config.http.host);
  await once(server, "listening");
  if (config.auth.mode === "open") log.warn("AUTH_MODE=open: anyone who can reach this address can run code here");
  if (config.auth.mode === "open" && config.http.gate.origins.any)
    log.warn("ALLOWED_ORIGINS=* without keys: any web page that is opened on this machine can run code here");
  log.info({ host: config.http.host, port: config.http.port }, "api ready");
  const net = survive(log);
  exportFaults(context.processMetrics, net);
  void net.broken.then(() => {
    process.exitCode = brokenExitCode;
    ending.abort();
  });
  await aborted(signal);
  log.info("shutting down");
  // The process reports that it is not ready, and still answers until load balancers have noticed.
  await sleep(config.shutdownNoticeMs);
  context.hub.leave();
  await Promise.all([drainServer(server, config.shutdownGraceMs), bulk.close()]);
  await context.close();
});
