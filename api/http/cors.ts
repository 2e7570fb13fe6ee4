import type { RequestHandler } from "express";
import { type AllowedOrigins, isAllowed } from "./foreign-request.ts";

/** The headers of answers that browsers show to a page of another origin, besides those that the Fetch standard always shows. */
const exposedHeaders: readonly string[] = [
  "A2A-Extensions",
  "A2A-Version",
  "Allow",
  "Content-Disposition",
  "Content-Location",
  "Idempotency-Replayed",
  "Location",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Traceparent",
  "WWW-Authenticate",
  "X-Pagination-Next",
  "X-Pagination-Total",
  "X-Request-Id",
  "X-Run-Id",
  "X-Thread-Id",
  "X-Vercel-AI-UI-Message-Stream",
];

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** Browsers keep an answer to a preflight request for so long: two hours, which is Chrome's maximum. */
const preflightSeconds = 7_200;

/**
 * Lets pages of the allowed origins read answers, and answers their preflight requests, which carry no key. Cookies are not
 * allowed: a key is sent by the page's own code. Requests of other origins pass unchanged, so their pages can read nothing.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigins(origins: AllowedOrigins): RequestHandler {
  const exposed = exposedHeaders.join(", ");
  return (req, res, next) => {
    const { origin } = req.headers;
    // A cache must not give one origin's answer to another one.
    if (!origins.any && origins.listed.size > 0) res.vary("Origin");
    if (origin === undefined || !isAllowed(origin, origins)) {
      next();
      return;
    }
    res.set("Access-Control-Allow-Origin", origins.any ? "*" : origin);
    if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) {
      res.set("Access-Control-Expose-Headers", exposed);
      next();
      return;
    }
    const asked = req.headers["access-control-request-headers"];
    res.set({ "Access-Control-Allow-Methods": methods, "Access-Control-Max-Age": String(preflightSeconds) });
    // A wildcard would not include `Authorization`.
    if (asked !== undefined) res.set("Access-Control-Allow-Headers", asked).vary("Access-Control-Request-Headers");
    res.status(204).end();
  };
}
