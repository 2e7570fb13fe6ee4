import { fileURLToPath } from "node:url";
import express, { type Express } from "express";
import helmet from "helmet";
import type { Log } from "../../shared/platform/log.ts";
import { allowOrigins } from "./cors.ts";
import type { Guards } from "./guards.ts";
import type { Operation } from "./define-operation.ts";
import { errorHandler, notFoundHandler } from "./error-handler.ts";
import { mountOperations } from "./mount.ts";
import type { Protocol } from "./protocol.ts";
import { type Gate, refuseForeign } from "./refuse-foreign.ts";
import { requestContext } from "./request-context.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import type { RequestSpans } from "./request-spans.ts";
import { serveConsole } from "./serve-console.ts";

/** Beside the built programs. */
const consoleFolder = fileURLToPath(new URL("../../console/site", import.meta.url));

export type HttpParts<C> = {
  operations: readonly Operation<C>[];
  protocols: readonly Protocol<C>[];
  context: C;
  guards: Guards;
  gate: Gate;
  /** Networks of the proxies whose word for a client's address counts. */
  trustedProxies: readonly string[];
  log: Log;
  metrics: RequestMetrics;
  /** Null without tracing. */
  spans: RequestSpans | null;
};

/** Returns the Express app of a list of operations; it listens to no port. */
export function createHttpApp<C>({
  operations,
  protocols,
  context,
  guards,
  gate,
  trustedProxies,
  log,
  metrics,
  spans,
}: HttpParts<C>): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false).set("case sensitive routing", true);
  app.set("trust proxy", trustedProxies);
  app.use(requestContext(log, metrics, spans));
  app.use(helmet());
  app.use(refuseForeign(gate));
  app.use(allowOrigins(gate.origins));
  app.use(serveConsole(consoleFolder));
  const ofProtocols = protocols.flatMap((protocol) => protocol.operations);
  app.use(mountOperations([...operations, ...ofProtocols], context, guards));
  app.use(notFoundHandler);
  app.use(errorHandler(log, protocols));
  return app;
}
