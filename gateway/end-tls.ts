import type { Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { ServedRun } from "../shared/schemas/gateway.ts";
import { isAt } from "./find-connection.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Target } from "./parse-target.ts";

/** Ends the TLS of one run's tunnels to its connections' hosts. */
export type TlsEnds = {
  /** Returns what ends a tunnel to this target; null where no connection of the run leads there. */
  at(target: Target): ((socket: Socket, head: Buffer) => void) | null;
};

/**
 * `take` gets what a tunnel carries in clear. The certificates are those that came with the run: the gateway could make no other
 * ones.
 */
export function openTlsEnds(
  { connections, certificates }: ServedRun,
  limits: GatewayLimits,
  take: (socket: TLSSocket, target: Target) => void,
): TlsEnds {
  const servers = new Map<string, Server>();

  function open(target: Target): Server | null {
    const certificate = certificates.find(({ host }) => host === target.host.toLowerCase());
    if (!certificate || !connections.some((one) => isAt(one, target))) return null;
    const server = createServer({
      cert: certificate.cert,
      key: certificate.key,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: limits.headMs,
      // The tunnel's host decides whose call it is. A client that means another one is not answered.
      SNICallback: (name, done) => done(name.toLowerCase() === certificate.host ? null : new Error("another host")),
    });
    server.on("secureConnection", (socket) => take(socket, target));
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    servers.set(nameOf(target), server);
    return server;
  }

  return {
    at(target) {
      const server = servers.get(nameOf(target)) ?? open(target);
      if (!server) return null;
      return (socket, head) => {
        beginTunnel(socket, head);
        server.emit("connection", socket);
      };
    },
  };
}

/** Answers a CONNECT whose tunnel ends in this process. */
export function beginTunnel(socket: Socket, head: Buffer): void {
  socket.write("HTTP/1.1 200 Connected\r\n\r\n");
  if (head.length > 0) socket.unshift(head);
}

const nameOf = ({ host, port }: Target): string => `${host.toLowerCase()}:${port}`;
