import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { GatewayLimits } from "./limits.ts";
import { parseAuthority } from "./parse-target.ts";
import type { Reach } from "./reach-target.ts";

/** `head`: bytes that the agent sent after its request already. */
type TunnelRequest = { authority: string; socket: Socket; head: Buffer };

/** Answers a CONNECT request, and passes bytes in both directions until both sides have ended. */
export async function openTunnel(
  { authority, socket, head }: TunnelRequest,
  reach: Reach,
  limits: GatewayLimits,
): Promise<void> {
  const target = parseAuthority(authority);
  const found = target ? await reach(target) : { status: 400, reason: "Not a host and a port." };
  if ("status" in found) return refuseConnection(socket, found.status, found.reason);
  if (socket.destroyed) return void found.destroy();
  socket.write("HTTP/1.1 200 Connected\r\n\r\n");
  if (head.length > 0) found.write(head);
  for (const [one, other] of [
    [socket, found],
    [found, socket],
  ] as const) {
    one.setTimeout(limits.idleMs, () => one.destroy());
    // `pipe` ends the other side when this one ends.
    one.pipe(other);
    one.once("end", () => other.setTimeout(limits.halfOpenMs));
    one.once("close", () => other.destroySoon());
  }
}

/** Answers on a bare connection and ends it. The reason is also the status text, since clients of tunnels show only that. */
export function refuseConnection(socket: Socket, status: number, reason = STATUS_CODES[status] ?? ""): void {
  if (!socket.writable) return void socket.destroy();
  const text = reason.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500);
  const head = `HTTP/1.1 ${status} ${text}\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${text}`, () => socket.destroySoon());
}
