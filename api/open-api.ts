import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../shared/platform/config/load-config.ts";
import type { Log } from "../shared/platform/log.ts";
import type { Tracing } from "../shared/platform/tracing/open-tracing.ts";
import { type ApiContext, createApiContext } from "./context.ts";
import { startBulkWork } from "./bulk/work-on-bulk-operations.ts";
import { createHttpApp } from "./http/create-http-app.ts";
import { createHttpServer } from "./http/create-http-server.ts";
import { closeConnectionsWhenLeaving, drainServer } from "./http/drain-server.ts";
import { createRequestMetrics } from "./http/request-metrics.ts";
import { createRequestSpans } from "./http/request-spans.ts";
import { operations } from "./operations.ts";
import { protocols } from "./protocols/protocols.ts";
import { withDocs } from "./system/with-docs.ts";

/** An API that answers requests. */
export type Api = Pick<ApiContext, "processMetrics"> & {
  /** Resolves when the requests that are under way are answered, or their time is over, and all connections are closed. */
  close(): Promise<void>;
};

/** Opens the API that `config` describes. Resolves when it listens. */
export async function openApi(config: Config, log: Log, tracing: Tracing | null): Promise<Api> {
  const ending = new AbortController();
  const context = createApiContext(config, log, ending.signal);
  const bulk = startBulkWork(context);
  const app = createHttpApp({
    operations: withDocs(operations),
    protocols,
    context,
    guards: context.guards,
    gate: config.http.gate,
    trustedProxies: config.http.trustedProxies,
    log,
    metrics: createRequestMetrics(context.processMetrics),
    spans: tracing && createRequestSpans(tracing),
  });
  const server = createHttpServer(app, { headersMs: 10_000, requestMs: 60_000 });
  closeConnectionsWhenLeaving(server, ending.signal);
  server.listen(config.http.port, config.http.host);
  await once(server, "listening");
  return {
    processMetrics: context.processMetrics,
    async close() {
      ending.abort();
      // It reports that it is not ready, and still answers until load balancers have noticed.
      await sleep(config.shutdownNoticeMs);
      context.hub.leave();
      await Promise.all([drainServer(server, config.shutdownGraceMs), bulk.close()]);
      await context.close();
    },
  };
}
