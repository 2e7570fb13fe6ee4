import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { egressAllows } from "../run/egress-rule.ts";
import { findAddresses } from "./guarded-lookup.ts";
import { faultClassOf } from "./target-fault.ts";

/** What a deployment lets agents reach; what an agent's config names besides must fit as well. */
export type EgressOptions = { allowHosts: string[]; allowCidrs: string[] };

export type EgressProxy = {
  /** Takes a sandbox's connections, until its listener closes: an HTTP proxy to the targets that `allow` names. */
  serve(listener: Server, allow: readonly string[]): void;
};

const connectTimeoutMs = 10_000;
const mostConnections = 64;
/** RFC 9110 §7.6.1: of this connection, not of the message. */
const hopByHop = ["connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "upgrade"];

type Target = { host: string; port: number };
type Refusal = { status: 403 | 502; reason: string };

/**
 * The one way out of a sandbox: CONNECT and plain HTTP requests, by host name. A target must be named by the agent's config
 * and by the deployment, and have public addresses only; it is connected to at the very address that was judged.
 */
export function createEgressProxy({ allowHosts, allowCidrs }: EgressOptions): EgressProxy {
  async function reach({ host, port }: Target, allow: readonly string[]): Promise<Socket | Refusal> {
    if (!egressAllows(allow, host, port))
      return { status: 403, reason: `The agent's config doesn't allow ${host}:${port}.` };
    if (!egressAllows(allowHosts, host, port))
      return { status: 403, reason: `This deployment doesn't allow ${host}:${port}.` };
    try {
      const [first] = await findAddresses(host, allowCidrs);
      return await openSocket(first?.address ?? "", port);
    } catch (error) {
      const fault = faultClassOf(error);
      if (fault === "blocked") return { status: 403, reason: `${host} is at a private or reserved address.` };
      return { status: 502, reason: `${host}:${port} can't be reached (${fault}).` };
    }
  }

  return {
    serve(listener, allow) {
      const proxy = createServer();
      proxy.on("connect", (req, socket: Socket, head) => {
        void tunnel(req, { socket, head }, (target) => reach(target, allow));
      });
      proxy.on("request", (req, res) => {
        void forward(req, res, (target) => reach(target, allow));
      });
      proxy.on("clientError", (_error, socket) => socket.destroy());
      const open = new Set<Socket>();
      listener.maxConnections = mostConnections;
      listener.on("error", () => undefined);
      listener.on("connection", (socket: Socket) => {
        open.add(socket.on("error", () => undefined).on("close", () => open.delete(socket)));
        proxy.emit("connection", socket);
      });
      listener.on("close", () => {
        for (const socket of open) socket.destroy();
      });
    },
  };
}

type Reach = (target: Target) => Promise<Socket | Refusal>;

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs });
    socket.once("connect", () => resolve(socket.setTimeout(0)));
    socket.once("timeout", () => socket.destroy(new Error("timeout")));
    socket.once("error", reject);
  });
}

async function tunnel(req: IncomingMessage, client: { socket: Socket; head: Buffer }, reach: Reach): Promise<void> {
  const { socket, head } = client;
  const target = targetOf(`http://${req.url ?? ""}`);
  const found = target ? await reach(target) : { status: 403 as const, reason: "Not a host and a port." };
  if ("status" in found) {
    const { status, reason } = found;
    const length = Buffer.byteLength(reason);
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n${reason}`,
    );
    return;
  }
  socket.write("HTTP/1.1 200 Connected\r\n\r\n");
  found.write(head);
  pipeline(socket, found, socket, () => found.destroy());
}

async function forward(req: IncomingMessage, res: ServerResponse, reach: Reach): Promise<void> {
  const target = targetOf(req.url ?? "");
  const found = target ? await reach(target) : { status: 403 as const, reason: "Not an absolute http URL." };
  if ("status" in found) return void res.writeHead(found.status, { "content-type": "text/plain" }).end(found.reason);
  const { pathname, search, host } = new URL(req.url ?? "");
  const kept = Object.entries(req.headers).filter(([name]) => !hopByHop.includes(name));
  const onward = request({
    createConnection: () => found,
    method: req.method,
    path: pathname + search,
    headers: { ...Object.fromEntries(kept), host, connection: "close" },
  });
  onward.on("response", (answer) => {
    const passed = Object.entries(answer.headers).filter(([name]) => !hopByHop.includes(name));
    res.writeHead(answer.statusCode ?? 502, Object.fromEntries(passed) as Record<string, string>);
    pipeline(answer, res, () => undefined);
  });
  pipeline(req, onward, () => undefined);
  onward.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
}

function targetOf(text: string): Target | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== "http:" || hostname === "") return null;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 80 : Number(port) };
}
