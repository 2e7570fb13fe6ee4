import type { RequestHandler } from "express";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { canonicalHost } from "../../shared/domain/egress/loopback.ts";
import { foreignHost, foreignOrigin } from "./foreign-request.ts";

export type Gate = {
  /** The host names that are asked for, besides this machine's own; null: any. */
  hosts: readonly string[] | null;
  /** Origins whose pages may send writes. */
  origins: readonly string[];
};

/** They tell whether a process answers and nothing else, and their callers know its address only. */
const probes = new Set(["/health/live", "/health/ready"]);

/** Refuses what a web page of somebody else makes a browser send. Throws misdirected and forbidden. */
export function refuseForeign({ hosts, origins }: Gate): RequestHandler {
  const ownHosts = hosts && new Set(hosts.flatMap((host) => canonicalHost(host) ?? []));
  const ownOrigins = new Set(origins);
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
        "This service has no keys (AUTH_MODE=open) and answers to names of its own machine only. Name this host in ALLOWED_HOSTS, or use AUTH_MODE=key.",
      );
    const origin = foreignOrigin(sent, ownOrigins);
    if (origin !== null)
      throw new AppError(
        "forbidden",
        "cross_site_request",
        "A web page of another origin sent this request. Name its origin in ALLOWED_ORIGINS if it may.",
      );
    next();
  };
}
