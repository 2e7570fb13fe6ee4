import { setMaxListeners } from "node:events";
import { Agent, type ClientRequestArgs } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect } from "node:tls";
import type { GatewayLimits } from "./limits.ts";
import type { Reach } from "./reach-target.ts";

/** Why a service wasn't reached. */
export class NotReached extends Error {
  override name = "NotReached";
  readonly status: 403 | 502;
  constructor(status: 403 | 502, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Idle connections are kept for less time than services keep them: a request on one that was just closed is lost. */
const idleMs = 4_000;

/** Connections to services, by address. They are one run's, so nothing that a service answers can reach another run. */
export type Services = {
  agentOf(url: URL): Agent;
  /** Aborted when the run has ended. */
  signal: AbortSignal;
  /** Keeps the connections open until the promise settles, though the run ends: an answer is read to its end. */
  hold(reading: Promise<unknown>): void;
  close(): void;
};

export function openServices(reach: Reach, { connections, connectMs }: GatewayLimits): Services {
  const agents = new Map<string, Agent>();
  const readings = new Set<Promise<unknown>>();
  const ended = new AbortController();
  // Each call of the run may listen.
  setMaxListeners(0, ended.signal);
  const destroyIdle = (): void => {
    if (readings.size === 0) for (const agent of agents.values()) agent.destroy();
  };
  const open = (url: URL): Agent => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: 8, timeout: idleMs });
    // Node's own type knows the synchronous form only.
    (agent as { createConnection: unknown }).createConnection = (
      _options: ClientRequestArgs,
      done: (error: Error | null, socket?: Socket) => void,
    ) => {
      void settle(openSocket(url, reach, connectMs), done);
    };
    return agent;
  };
  return {
    agentOf(url) {
      const found = agents.get(url.origin) ?? open(url);
      agents.set(url.origin, found);
      return found;
    },
    signal: ended.signal,
    hold(reading) {
      readings.add(reading);
      void reading.finally(() => {
        readings.delete(reading);
        if (ended.signal.aborted) destroyIdle();
      });
    },
    close() {
      ended.abort();
      destroyIdle();
    },
  };
}

async function settle(opening: Promise<Socket>, done: (error: Error | null, socket?: Socket) => void): Promise<void> {
  let socket: Socket;
  try {
    socket = await opening;
  } catch (error) {
    return done(error instanceof Error ? error : new Error(String(error)));
  }
  done(null, socket);
}

async function openSocket(url: URL, reach: Reach, connectMs: number): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isTls = url.protocol === "https:";
  const usual = isTls ? 443 : 80;
  const port = url.port === "" ? usual : Number(url.port);
  const socket = await reach({ host, port });
  if ("status" in socket) throw new NotReached(socket.status, socket.reason);
  // A service that closes an idle connection closes it wholly: else the next call would be sent on it, and never answered.
  socket.allowHalfOpen = false;
  return isTls ? beginTls(socket, host, connectMs) : socket;
}

function beginTls(socket: Socket, host: string, connectMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const secure = connect({ socket, ...name, ALPNProtocols: ["http/1.1"] });
    const timer = setTimeout(() => secure.destroy(new NotReached(502, `${host} began no TLS in time.`)), connectMs);
    // This listener stays: an error without a listener would end the process.
    secure.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error instanceof NotReached ? error : new NotReached(502, `${host}: no TLS (${error.code ?? "failed"}).`));
    });
    secure.once("secureConnect", () => {
      clearTimeout(timer);
      resolve(secure);
    });
  });
}
