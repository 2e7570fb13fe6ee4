import { isIP } from "node:net";
import type { Request } from "express";

const withPort = /^(?:\[([^\]]+)\]|([\d.]+)):\d+$/;

/** Returns a client's address. Some trusted proxies add a port to it, or pass on what a client says: what is no address is not taken. */
export function clientAddress({ ip = "", socket }: Pick<Request, "ip" | "socket">): string | undefined {
  const [, bracketed, plain] = withPort.exec(ip) ?? [];
  const address = bracketed ?? plain ?? ip;
  return isIP(address) === 0 ? socket.remoteAddress : address;
}
