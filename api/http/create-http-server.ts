import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Express } from "express";
import { newId } from "../../shared/platform/ids.ts";

export type HttpTimeouts = { headersMs: number; requestMs: number };

/** Returns a server with time limits for receiving the headers and the whole request. Answers have no time limit. */
export function createHttpServer(app: Express, { headersMs, requestMs }: HttpTimeouts): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs / 2),
      // Longer than the 60 s that are usual for proxies: the proxy, not the server, should close an idle connection.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      ...expressClasses(app),
    },
    app,
  );
  server.on("clientError", refuseBytes);
  return server;
}

/**
 * Returns request and response classes that have Express' methods. Express would change the prototype of each object instead,
 * and an object whose prototype was changed has a hidden class of its own, which takes 1 KB more memory.
 */
function expressClasses(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

const statusOf: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers bytes that are no HTTP request. After a first answer the socket is closed, since the text could land inside that answer. */
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
