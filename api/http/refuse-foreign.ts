import type { RequestHandler } from "express";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { canonicalHost } from "../../shared/domain/egress/loopback.ts";
import { type AllowedOrigins, foreignHost, foreignOrigin } from "./foreign-request.ts";

export type Gate = {
  /** Accepted host names, besides this machine's own. Null: all. */
  hosts: readonly string[] | null;
  origins: AllowedOrigins;
};

/** They tell nothing but whether the process is up, and probes know only its address. */
const probes = new Set(["/health/live", "/health/ready"]);

/** Refuses requests that a foreign web page makes a browser send. Throws misdirected and forbidden. */
export function refuseForeign({ hosts, origins }: Gate): RequestHandler {
  const ownHosts = hosts && new Set(hosts.flatMap((host) => canonicalHost(host) ?? []));
  return (req, _res, next) => {
    const sent = {
      method: req.method,
      target: req.url,
      headers: req.headers,
      hosts: req.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === "host").length,
      localAddress: req.socket.localAddress,
    };
    const host = ownHosts && !probes.has(req.path) ? foreignHost(sent, ownHosts) : null;
    if (host !== null)
      throw new AppError(
        "misdirected",
        "host_not_allowed",
        "Without keys (AUTH_MODE=open) this service only answers to names of its own machine. Add this host to ALLOWED_HOSTS, or use AUTH_MODE=key.",
      );
    // A page that sends no referrer sends its form with the origin `null`. Here the path itself is the right to use it.
    const isOwnPage = req.path.startsWith("/answer/") && req.headers.origin === "null";
    const origin = isOwnPage ? null : foreignOrigin(sent, origins);
    if (origin !== null)
      throw new AppError(
        "forbidden",
        "cross_site_request",
        "A web page of another origin sent this request. Add its origin to ALLOWED_ORIGINS if you trust it.",
      );
    next();
  };
}
