import { type ClientRequest, createServer, type Server, type ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gatewayPort } from "../shared/domain/connection/sandbox-address.ts";
import type { ServedRun } from "../shared/schemas/gateway.ts";
import { isAt, pathOfCall } from "./find-connection.ts";
import { beginTunnel, openTlsEnds } from "./end-tls.ts";
import { forwardRequest } from "./forward-request.ts";
import type { WorkerClient } from "./worker-client.ts";
import type { BufferLimit } from "./buffer-limits.ts";
import type { TimeSlice } from "./share-event-loop.ts";
import type { GatewayLimits } from "./limits.ts";
import { openServices } from "./open-services.ts";
import { openTunnel, refuseConnection } from "./open-tunnel.ts";
import { parseAuthority, parseHttpUrl, type Target } from "./parse-target.ts";
import type { Reach } from "./reach-target.ts";
import { type Call, type Caller, serveCall } from "./serve-call.ts";

export type ServedListener = {
  /** Says whose the calls are from now on. Calls of another run are cut. */
  beginRun(run: ServedRun | null): void;
  /** Closes all connections, and refuses those in the backlog. */
  endRun(): Promise<void>;
  close(): void;
};

/** What all listeners share. */
export type ListenerResources = {
  limits: GatewayLimits;
  /** Open connections of all sandboxes. */
  open: Set<Socket>;
  desk: WorkerClient;
  /** Open one sandbox's share of what requests and answers may hold, and its turns. */
  requests: () => BufferLimit;
  answers: () => BufferLimit;
  turns: () => TimeSlice;
  /** Runs a connection's handler. An error ends that connection only. */
  guard: (socket: Socket, act: () => Promise<void>) => void;
};

/** `reach` leads to what the agent's config allows, `reachService` to the addresses of connections. */
type ListenerState = {
  id: number;
  socket: object;
  reach: Reach;
  reachService: Reach;
  /** The sandbox is there for its runs' connections alone. */
  isForConnections: boolean;
  draining: boolean;
};

const gatewayHost = `127.0.0.1:${gatewayPort}`;
/** How long a call waits for the worker's word whose it is. The word was sent first, on another channel. */
const waitForRunMs = 1_000;

/**
 * Serves one sandbox's listening socket as an HTTP proxy (absolute http URLs and CONNECT). What goes to a connection's host is a
 * call by that connection; a tunnel's TLS ends here then.
 */
export function serveListener(
  { id, socket: listening, reach, reachService, isForConnections, draining }: ListenerState,
  shared: ListenerResources,
): ServedListener {
  const { limits, open } = shared;
  const server = createServer(serverOptions(limits));
  /** Connections from this sandbox and to its targets. */
  const own = new Set<Socket>();
  /** Those from this sandbox. */
  let clients = 0;
  /** What tunnels to connections' hosts carry, and the host. */
  const inTls = new WeakMap<Socket, Target>();
  let refusing = draining;
  const track = (socket: Socket): void => {
    // This listener stays: an error without a listener would end the process.
    socket.on("error", () => undefined);
    own.add(socket);
    socket.once("close", () => own.delete(socket));
  };
  const count = (socket: Socket): void => {
    open.add(socket);
    clients += 1;
    socket.once("close", () => {
      open.delete(socket);
      clients -= 1;
    });
  };
  const closeAll = (): void => {
    for (const socket of own) socket.destroy();
  };

  server.maxConnections = limits.connections;
  server.maxHeadersCount = 0;
  server.timeout = limits.idleMs;
  server.on("error", () => undefined);
  server.prependListener("connection", (socket: Socket) => {
    track(socket);
    // A tunnel counts already.
    if (!inTls.has(socket)) count(socket);
    const isFull = open.size > limits.connectionsInAll && clients > limits.connectionsAlways;
    if (refusing || isFull) socket.destroy();
  });
  const reachAndTrack: Reach = async (target) => {
    const found = await reach(target);
    if (!("status" in found)) track(found);
    return found;
  };
  const callers = followRuns((run) => ({
    run,
    services: openServices(reachService, limits),
    tls: openTlsEnds(run, limits, (socket, target) => {
      inTls.set(socket, target);
      server.emit("connection", socket);
    }),
    desk: shared.desk,
    ask: (asked, gone) => shared.desk.ask(id, run, asked, gone),
  }));
  answerRequests(server, { reach: reachAndTrack, callers, inTls, isForConnections }, shared);
  server.listen(listening);

  return {
    beginRun: (run) => callers.change(run),
    async endRun() {
      refusing = true;
      callers.change(null);
      closeAll();
      await emptyBacklog(server);
      closeAll();
      refusing = false;
    },
    close() {
      refusing = true;
      callers.change(null);
      server.close();
      closeAll();
    },
  };
}

/**
 * Waits until no more connections are accepted; those accepted meanwhile are refused. One turn of the event loop accepts one
 * connection or all of them, depending on libuv, and the first turn may be half over: so three turns without one are needed.
 */
async function emptyBacklog(server: Server): Promise<void> {
  let accepted = true;
  const note = (): void => void (accepted = true);
  server.on("connection", note).on("drop", note);
  while (accepted) {
    accepted = false;
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  }
  server.off("connection", note).off("drop", note);
}

type Callers = {
  change(run: ServedRun | null): void;
  current(): Caller | null;
  /** Returns whose calls come now; waits a moment where that isn't known yet. */
  now(): Promise<Caller | null>;
};

function followRuns(open: (run: ServedRun) => Caller): Callers {
  let current: Caller | null = null;
  const waiting = new Set<() => void>();
  return {
    change(run) {
      current?.services.close();
      current = run && open(run);
      if (current) for (const go of waiting) go();
    },
    current: () => current,
    async now() {
      if (current) return current;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, waitForRunMs);
        waiting.add(go);
      });
      return current;
    },
  };
}

type RequestRoutes = { reach: Reach; callers: Callers; inTls: WeakMap<Socket, Target>; isForConnections: boolean };

/** Each connection has one request at a time. A request before the answer to the last one (pipelining) ends the connection. */
function answerRequests(
  server: Server,
  { reach, callers, inTls, isForConnections }: RequestRoutes,
  shared: ListenerResources,
): void {
  const { limits, guard } = shared;
  const share = {
    requests: shared.requests(),
    answers: shared.answers(),
    turn: shared.turns(),
    readings: new Set<ClientRequest>(),
  };
  const busy = new WeakSet<Socket>();
  const nested = new WeakSet<Socket>();
  const begin = (socket: Socket): boolean => {
    const may = !socket.destroyed && !busy.has(socket);
    if (may) busy.add(socket);
    else socket.destroy();
    return may;
  };
  server.on("request", (req, res) => {
    const { socket } = req;
    res.on("error", () => undefined);
    if (!begin(socket)) return;
    res.once("close", () => busy.delete(socket));
    const called = calledBy(req.url ?? "", inTls.get(socket) ?? null, callers.current());
    if (called === null) return guard(socket, () => forwardRequest({ req, res }, reach, limits));
    guard(socket, async () => serveCall({ req, res, ...called }, await callers.now(), { limits, share }));
  });
  server.on("connect", (req, socket: Socket, head) => {
    if (!begin(socket)) return;
    const authority = req.url ?? "";
    if (inTls.has(socket) || nested.has(socket)) return refuseConnection(socket, 400, "This is no proxy.");
    if (authority === gatewayHost) {
      // Of a client that takes its proxy for every address, this one too.
      nested.add(socket);
      busy.delete(socket);
      beginTunnel(socket, head);
      return void server.emit("connection", socket);
    }
    guard(socket, async () => {
      // Elsewhere most tunnels are no calls: they don't wait for a run.
      const caller = isForConnections ? await callers.now() : callers.current();
      const target = parseAuthority(authority);
      const end = target && caller?.tls.at(target);
      if (end && !socket.destroyed) return end(socket, head);
      return openTunnel({ authority, socket, head }, reach, limits);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (busy.has(socket)) socket.destroy();
    else refuseConnection(socket, statusOf(error.code));
  });
}

/** Returns the path of a call by a connection, and the service's address if it goes there by name; null for any other request. */
function calledBy(url: string, target: Target | null, caller: Caller | null): Pick<Call, "path" | "target"> | null {
  if (target) return { path: url, target };
  const path = pathOfCall(url);
  if (path !== null) return { path, target: null };
  const named = parseHttpUrl(url);
  if (!named || !caller?.run.connections.some((one) => isAt(one, named.target))) return null;
  return { path: `${named.url.pathname}${named.url.search}`, target: named.target };
}

function serverOptions({ headerBytes, headMs, keepAliveMs }: GatewayLimits): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5_000, headMs),
    keepAliveTimeout: keepAliveMs,
    noDelay: true,
  };
}

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
