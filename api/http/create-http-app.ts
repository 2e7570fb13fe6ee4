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

export type HttpParts<C> = {
  operations: readonly Operation<C>[];
  protocols: readonly Protocol<C>[];
  context: C;
  guards: Guards;
  gate: Gate;
  log: Log;
};

/** Returns the Express app of a list of operations; it listens to no port. */
export function createHttpApp<C>({ operations, protocols, context, guards, gate, log }: HttpParts<C>): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false).set("case sensitive routing", true);
  app.use(requestContext(log));
  app.use(helmet());
  app.use(refuseForeign(gate));
  app.use(allowOrigins(gate.origins));
  const ofProtocols = protocols.flatMap((protocol) => protocol.operations);
  app.use(mountOperations([...operations, ...ofProtocols], context, guards));
  app.use(notFoundHandler);
  app.use(errorHandler(log, protocols));
  return app;
}
