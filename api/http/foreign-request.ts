import type { IncomingHttpHeaders } from "node:http";
import { canonicalHost, isLoopback } from "../../shared/domain/egress/loopback.ts";
import { isOwnOrigin } from "./own-origin.ts";

/** What a request says about itself. None of it is trusted. */
export type Sent = {
  method: string;
  /** The request target as it came: a path or, to a proxy, a whole URL. */
  target: string;
  headers: IncomingHttpHeaders;
  /** The number of `Host` headers. Node keeps only the first one. */
  hosts: number;
  /** The local address of the socket. */
  localAddress: string | undefined;
};

/**
 * Returns the host that a request names when it is not ours, else null. A web page that lets its own name resolve to this
 * machine (DNS rebinding) still sends that name. `X-Forwarded-Host` is ignored, because a page can send it.
 */
export function foreignHost(
  { target, headers, hosts, localAddress }: Sent,
  allowed: ReadonlySet<string>,
): string | null {
  if (hosts > 1) return "several";
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
  // HTTP/1.0 requests may have no Host header; the address is used then. Node refuses HTTP/1.1 requests without it.
  const named = [authority, headers.host ?? localAddress ?? ""].filter((name) => name !== undefined);
  return named.find((name) => !isOurs(name, allowed)) ?? null;
}

function isOurs(name: string, allowed: ReadonlySet<string>): boolean {
  const host = canonicalHost(name);
  return host !== null && (isLoopback(host) || allowed.has(host));
}

/** The origins whose pages may send writes and read answers. */
export type AllowedOrigins = { any: boolean; listed: ReadonlySet<string> };

export const isAllowed = (origin: string, { any, listed }: AllowedOrigins): boolean => any || listed.has(origin);

export const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Returns the origin of the web page that made a browser send this write, when it is another origin than ours and not in
 * `allowed`; else null. Clients that are no browsers send neither header, which gives null, too.
 * https://www.w3.org/TR/fetch-metadata/ and https://datatracker.ietf.org/doc/html/rfc6454#section-7
 */
export function foreignOrigin({ method, headers }: Sent, allowed: AllowedOrigins): string | null {
  if (reads.has(method) || allowed.any) return null;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && isAllowed(origin, allowed)) return null;
  if (origin !== undefined && !isOwnOrigin(origin, headers.host)) return origin;
  return site === undefined || site === "same-origin" || site === "none" ? null : `a ${String(site)} page`;
}
