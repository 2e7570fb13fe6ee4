import { parseUrl } from "../shared/domain/egress/parse-url.ts";
import { gatewayAddress } from "../shared/domain/connection/sandbox-address.ts";
import { plainPath, spellings } from "../shared/domain/connection/path-spellings.ts";
import type { Target } from "./parse-target.ts";
import type { GatewayRun, OpenConnection } from "../shared/schemas/gateway.ts";

/** A connection, and the address at its service that a call is for. */
export type FoundConnection = { connection: OpenConnection; url: URL };

/** A path, or an address of this gateway: a client with a proxy variable may ask by the latter. Null: a call for somebody else. */
export function pathOfCall(url: string): string | null {
  if (url.startsWith("/")) return url;
  return url.startsWith(`${gatewayAddress}/`) ? url.slice(gatewayAddress.length) : null;
}

/**
 * Returns the connection that the first part of a path names, and the address that the rest of it means. The rest can't leave
 * the connection's own address.
 */
export function findConnection(path: string, { connections }: GatewayRun): FoundConnection | { reason: string } {
  const [, name = "", rest = ""] = /^\/([^/?#]*)([^#]*)/.exec(path) ?? [];
  const connection = connections.find((one) => one.name === name);
  if (!connection) return { reason: `The run has no connection '${name.slice(0, 63)}'.` };
  const base = new URL(connection.base_url);
  const root = base.pathname.replace(/\/+$/, "");
  const url = parseUrl(`${base.origin}${root}${withoutVersion(rest, root)}`);
  const isBelow = url !== null && url.origin === base.origin && staysBelow(url.pathname, root);
  return isBelow ? { connection, url } : { reason: "The path leads out of the connection." };
}

/** Returns the connection whose service is at a host, if the path is below the connection's own address. */
export function findAtHost(
  target: Target,
  path: string,
  { connections }: GatewayRun,
): FoundConnection | { reason: string } {
  const there = connections.filter((one) => isAt(one, target));
  for (const connection of there) {
    const base = new URL(connection.base_url);
    const url = path.startsWith("/") ? parseUrl(`${base.origin}${path.replace(/#.*$/, "")}`) : null;
    if (url?.origin === base.origin && staysBelow(url.pathname, base.pathname.replace(/\/+$/, "")))
      return { connection, url };
  }
  return {
    reason: there.length > 0 ? "The path leads out of the connection." : "The run has no connection to the host.",
  };
}

/** True when a connection's service is at this host and port. */
export function isAt({ base_url }: OpenConnection, { host, port }: Target): boolean {
  const { hostname, protocol, port: own } = new URL(base_url);
  const usual = protocol === "https:" ? 443 : 80;
  return hostname === host.toLowerCase() && (own === "" ? usual : Number(own)) === port;
}

/** A service may decode a path before it reads its dots: `..%2fadmin` leads out as `../admin` does. */
function staysBelow(pathname: string, root: string): boolean {
  if (!`${pathname}/`.startsWith(`${root}/`)) return false;
  const below = plainPath(root) === "/" ? "/" : `${plainPath(root)}/`;
  return (
    !mayHaveDots.test(pathname) ||
    spellings(pathname)
      .slice(1)
      .every((one) => `${one}/`.startsWith(below))
  );
}

/** A path that is a URL's has no other dots between slashes. */
const mayHaveDots = /%|;/;

/** Some libraries add the version (`/v1`) that others expect in the address: it isn't repeated. */
function withoutVersion(rest: string, root: string): string {
  const [version] = /\/v\d+[a-z]*$/.exec(root) ?? [];
  const follows = version !== undefined && rest.startsWith(version) ? rest.slice(version.length) : null;
  return follows !== null && /^([/?]|$)/.test(follows) ? follows : rest;
}
