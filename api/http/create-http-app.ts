import { type Server, createServer } from "node:http";
import express, { type Express } from "express";
import helmet from "helmet";
import type { Log } from "../../shared/log.ts";
import type { Operation } from "./define-operation.ts";
import { errorHandler, notFoundHandler } from "./error-handler.ts";
import { mountOperations } from "./mount.ts";
import { requestContext } from "./request-context.ts";

export type HttpParts<C> = {
  operations: readonly Operation<C>[];
  context: C;
  log: Log;
};

/** The app of a list of operations, without a port. No CORS: browsers of other origins go through their own server. */
export function createHttpApp<C>({ operations, context, log }: HttpParts<C>): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false).set("case sensitive routing", true);
  app.use(requestContext(log));
  app.use(helmet());
  app.use(mountOperations(operations, context));
  app.use(notFoundHandler);
  app.use(errorHandler(log));
  return app;
}

export type HttpTimeouts = { headersMs: number; requestMs: number };

/** A server whose clients must send their headers, and the whole of their request, in time. An answer may take for ever. */
export function createHttpServer(app: Express, { headersMs, requestMs }: HttpTimeouts): Server {
  return createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs),
      // Longer than a proxy's usual 60 s, so that it's the proxy that closes an idle connection.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
    },
    app,
  );
}
