import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { cleanHeaders, cleanReason, isFinalStatus } from "./clean-headers.ts";
import type { GatewayLimits } from "./limits.ts";
import { parseHttpUrl, type Target } from "./parse-target.ts";
import type { Reach } from "./reach-target.ts";

/** How many interim answers (1xx) a target may send before the final one. */
const mostInterim = 16;

type Call = { req: IncomingMessage; res: ServerResponse };

/** Forwards one plain http request to its target, and the answer back. Bodies flow only as fast as the other side reads. */
export async function forwardRequest({ req, res }: Call, reach: Reach, limits: GatewayLimits): Promise<void> {
  const asked = readRequest(req, limits);
  if ("status" in asked) return refuse(res, asked.status, asked.reason);
  const found = await reach(asked.target);
  if ("status" in found) return refuse(res, found.status, found.reason);
  // The agent may have closed its connection meanwhile.
  if (res.destroyed || res.closed) return void found.destroy();
  res.once("close", () => found.destroy());
  const onward = request({
    createConnection: () => found.setTimeout(limits.idleMs, () => found.destroy()),
    method: req.method,
    path: asked.path,
    headers: asked.headers,
    setHost: false,
    maxHeaderSize: limits.headerBytes,
  });
  onward.maxHeadersCount = 0;
  sendBody(req, onward);
  const answer = await answerOf(onward, limits);
  if (res.destroyed) return void found.destroy();
  if (!answer || !writeHead(res, answer, limits)) {
    found.destroy();
    return refuse(res, 502, "The target's answer can't be passed on.");
  }
  pipeline(answer, res, () => found.destroy());
}

type ForwardTarget = { target: Target; path: string; headers: string[] };

function readRequest(req: IncomingMessage, limits: GatewayLimits): ForwardTarget | { status: number; reason: string } {
  const { url = "", rawHeaders } = req;
  if (url.length > limits.urlLength) return { status: 414, reason: "The URL is too long." };
  if (rawHeaders.length > 2 * limits.headers) return { status: 431, reason: "There are too many header fields." };
  if (!isPlainlyChunked(req)) return { status: 501, reason: "A transfer coding besides chunked isn't passed on." };
  const parsed = parseHttpUrl(url);
  if (!parsed) return { status: 400, reason: "Not an absolute http URL." };
  const headers = headersOnward(req, parsed.url);
  if (!headers) return { status: 400, reason: "A header field can't be passed on." };
  return { target: parsed.target, path: parsed.url.pathname + parsed.url.search, headers };
}

function headersOnward(req: IncomingMessage, { host }: URL): string[] | null {
  const kept = cleanHeaders(req.rawHeaders, ["host"]);
  return kept && ["host", host, ...kept, ...bodyLength(req), "connection", "close"];
}

/** Returns the fields that frame a request's body beside its `content-length`, written anew from what the HTTP parser found. */
export function bodyLength(req: IncomingMessage): string[] {
  if (req.headers["transfer-encoding"] !== undefined) return ["transfer-encoding", "chunked"];
  const isEmpty = req.headers["content-length"] === undefined;
  const mayHaveBody = ["POST", "PUT", "PATCH"].includes(req.method ?? "");
  return isEmpty && mayHaveBody ? ["content-length", "0"] : [];
}

/** Not a pipeline: a target may answer before it has read the whole body, and that must not end the agent's request. */
export function sendBody(req: IncomingMessage, onward: ClientRequest): void {
  req.on("error", () => onward.destroy());
  req.once("aborted", () => onward.destroy());
  onward.once("close", () => {
    req.unpipe(onward);
    req.resume();
  });
  req.pipe(onward);
}

/** Returns the head of the final answer; null when none comes. */
export function answerOf(onward: ClientRequest, { answerMs }: GatewayLimits): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    let interim = 0;
    const timer = setTimeout(() => onward.destroy(), answerMs);
    const settle = (answer: IncomingMessage | null): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    onward.on("information", () => {
      interim += 1;
      if (interim > mostInterim) onward.destroy();
    });
    // The gateway never asks for another protocol.
    onward.on("upgrade", (_answer, socket: Socket) => socket.destroy());
    onward.on("response", settle);
    // This listener stays: a later error without a listener would end the process.
    onward.on("error", () => settle(null));
    onward.once("close", () => settle(null));
  });
}

/** `Transfer-Encoding` isn't passed on, so the receiver would take a body in another coding (gzip) for the plain body. */
export const isPlainlyChunked = ({ headers }: IncomingMessage): boolean =>
  ["", "chunked"].includes((headers["transfer-encoding"] ?? "").trim().toLowerCase());

/** Returns false, and sends nothing, when the answer's head may not be passed on. */
function writeHead(res: ServerResponse, answer: IncomingMessage, { headers: most }: GatewayLimits): boolean {
  const { statusCode, statusMessage, rawHeaders } = answer;
  if (!isFinalStatus(statusCode) || rawHeaders.length > 2 * most || !isPlainlyChunked(answer)) return false;
  const headers = cleanHeaders(rawHeaders, statusCode === 204 ? ["content-length"] : []);
  if (!headers) return false;
  const reason = cleanReason(statusMessage);
  res.sendDate = false;
  // The rest of an unread body would be read as the next request on this connection.
  const last = !res.req.complete ? ["connection", "close"] : [];
  if (reason === undefined) res.writeHead(statusCode, [...headers, ...last]);
  else res.writeHead(statusCode, reason, [...headers, ...last]);
  return true;
}

function refuse(res: ServerResponse, status: number, reason: string): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  const last = res.req.complete ? {} : { connection: "close" };
  res.writeHead(status, { "content-type": "text/plain", ...last }).end(reason);
}
