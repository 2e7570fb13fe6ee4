import type { Request, RequestHandler, Response } from "express";
import { newId } from "../../shared/platform/ids.ts";
import type { Log } from "../../shared/platform/log.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * The first middleware: gives the request its id (the client's own, if it has only safe characters), forbids caching unless an
 * operation allows it, and logs one line at the end. The line has the route instead of the URL, whose query may be private.
 */
export function requestContext(log: Log): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    const given = req.get("x-request-id");
    const request_id = given && /^[\w.:@-]{1,128}$/.test(given) ? given : newId("req");
    res.locals["request_id"] = request_id;
    res.set({ "X-Request-Id": request_id, "Cache-Control": "no-store" });
    res.on("close", () => {
      log.info({
        request_id,
        method: req.method,
        route: String(res.locals["route"] ?? "none"),
        status: res.statusCode,
        ms: Math.round(performance.now() - started),
        complete: res.writableFinished,
      });
    });
    next();
  };
}

export const requestId = (res: Response): string => String(res.locals["request_id"]);

/** Returns what a handler gets besides the parsed parts of its request. */
export function requestInfo(req: Request, res: Response): Omit<RequestInfo, "caller" | "holdOpen"> {
  return {
    request_id: requestId(res),
    traceparent: parseTraceparent(req.get("traceparent")),
    ip: req.ip,
    untilGone: () => untilGone(res),
  };
}

function untilGone(res: Response): AbortSignal {
  const gone = new AbortController();
  const check = (): void => void (res.writableFinished || gone.abort());
  if (res.destroyed) check();
  else res.on("close", check);
  return gone.signal;
}

/** Returns the query parameters. Of a repeated name the last value counts, as in FastAPI. */
export function queryOf({ originalUrl: url }: Request): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : ""));
}

/** https://www.w3.org/TR/trace-context/#traceparent-header: version ff and all-zero ids are invalid. */
export const parseTraceparent = (header: string | undefined): string | undefined =>
  header && /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(header)
    ? header
    : undefined;
