import { createServer, type Server, type ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { GatewayRun } from "../shared/schemas/gateway.ts";
import { pathOfCall } from "./find-connection.ts";
import { forwardRequest } from "./forward-request.ts";
import type { CallDesk } from "./call-desk.ts";
import type { HeldBodies } from "./meter/read-body.ts";
import type { GatewayLimits } from "./limits.ts";
import { openServices } from "./open-services.ts";
import { openTunnel, refuseConnection } from "./open-tunnel.ts";
import type { Reach } from "./reach-target.ts";
import { type Caller, serveCall } from "./serve-call.ts";

export type ServedListener = {
  /** Says whose the calls are from now on. Calls of another run are cut. */
  beginRun(run: GatewayRun | null): void;
  /** Closes all connections, and refuses those in the backlog. */
  endRun(): Promise<void>;
  close(): void;
};

/** What all listeners share. */
export type Shared = {
  limits: GatewayLimits;
  /** Open connections of all sandboxes. */
  open: Set<Socket>;
  desk: CallDesk;
  bodies: HeldBodies;
  /** Runs a connection's handler. An error ends that connection only. */
  guard: (socket: Socket, act: () => Promise<void>) => void;
};

/** `reach` leads to what the agent's config allows, `reachService` to the addresses of connections. */
type Listening = { id: number; socket: object; reach: Reach; reachService: Reach; draining: boolean };

/** How long a call waits for the worker's word whose it is. The word was sent first, on another channel. */
const waitForRunMs = 1_000;

/** Serves one sandbox's listening socket as an HTTP proxy (absolute http URLs and CONNECT). */
export function serveListener(
  { id, socket: listening, reach, reachService, draining }: Listening,
  shared: Shared,
): ServedListener {
  const { limits, open } = shared;
  const server = createServer(serverOptions(limits));
  /** Connections from this sandbox and to its targets. */
  const own = new Set<Socket>();
  let refusing = draining;
  const track = (socket: Socket): void => {
    // This listener stays: an error without a listener would end the process.
    socket.on("error", () => undefined);
    own.add(socket);
    socket.once("close", () => own.delete(socket));
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
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (refusing || open.size > limits.connectionsInAll) socket.destroy();
  });
  const reachAndTrack: Reach = async (target) => {
    const found = await reach(target);
    if (!("status" in found)) track(found);
    return found;
  };
  const callers = followRuns((run) => ({
    run,
    services: openServices(reachService, limits),
    desk: shared.desk,
    ask: (asked) => shared.desk.ask(id, run, asked),
  }));
  answerRequests(server, { reach: reachAndTrack, callers }, shared);
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
  change(run: GatewayRun | null): void;
  /** Returns whose calls come now; waits a moment where that isn't known yet. */
  now(): Promise<Caller | null>;
};

function followRuns(open: (run: GatewayRun) => Caller): Callers {
  let current: Caller | null = null;
  let told = (): void => undefined;
  return {
    change(run) {
      current?.services.close();
      current = run && open(run);
      if (current) told();
    },
    async now() {
      if (current) return current;
      await new Promise<void>((resolve) => {
        const before = told;
        const timer = setTimeout(resolve, waitForRunMs);
        told = () => {
          clearTimeout(timer);
          resolve();
          before();
        };
      });
      return current;
    },
  };
}

/** Each connection has one request at a time. A request before the answer to the last one (pipelining) ends the connection. */
function answerRequests(server: Server, { reach, callers }: { reach: Reach; callers: Callers }, shared: Shared): void {
  const { limits, guard } = shared;
  const busy = new WeakSet<Socket>();
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
    const path = pathOfCall(req.url ?? "");
    if (path === null) return guard(socket, () => forwardRequest({ req, res }, reach, limits));
    guard(socket, async () => serveCall({ req, res, path }, await callers.now(), shared));
  });
  server.on("connect", (req, socket: Socket, head) => {
    if (begin(socket)) guard(socket, () => openTunnel({ authority: req.url ?? "", socket, head }, reach, limits));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (busy.has(socket)) socket.destroy();
    else refuseConnection(socket, statusOf(error.code));
  });
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
