import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Express } from "express";
import { newId } from "../../shared/platform/ids.ts";

export type HttpTimeouts = { headersMs: number; requestMs: number };

/** A server whose clients must send their headers, and the whole of their request, in time. An answer may take for ever. */
export function createHttpServer(app: Express, { headersMs, requestMs }: HttpTimeouts): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs / 2),
      // Longer than a proxy's usual 60 s, so that it's the proxy that closes an idle connection.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      ...bornAsExpress(app),
    },
    app,
  );
  server.on("clientError", refuseBytes);
  return server;
}

/**
 * Requests and responses that have Express' methods when they are made. Express would change the prototype of each, and one
 * whose prototype was changed has a hidden class of its own: 1 KB more for as long as it lives.
 */
function bornAsExpress(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

const statusOf: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers bytes that no request came of. Where something was already answered, it could land within that answer. */
function refuseBytes(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = statusOf[error.code ?? ""] ?? 400;
  const reason = STATUS_CODES[status] ?? "";
  const code = reason.toLowerCase().replaceAll(" ", "_");
  const body = JSON.stringify({ detail: reason, code, request_id: newId("req") });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
