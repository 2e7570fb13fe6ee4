import type { Request, RequestHandler, Response } from "express";
import { newId } from "../../shared/platform/ids.ts";
import type { Log } from "../../shared/platform/log.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import type { RequestSpans } from "./request-spans.ts";
import type { RequestInfo, Sender } from "./request-info.ts";
import { isForeignPage, isHttps, readSessionCookie } from "./session-cookie.ts";
import { parseTraceparent } from "./traceparent.ts";
import type { Credentials } from "./authenticate.ts";
import { clientAddress } from "./client-address.ts";
import { untilGone } from "./until-gone.ts";

/**
 * The first middleware: gives the request its id (the client's own, if it has only safe characters), forbids caching unless an
 * operation allows it, and counts, traces and logs it at its end. The line has the route instead of the URL, which may be
 * private, and the run that the answer names. `spans`: null without tracing; then a run's parent is the client's span.
 */
export function requestContext(log: Log, metrics: RequestMetrics, spans: RequestSpans | null): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    const given = req.get("x-request-id");
    const request_id = given && isSafe(given) ? given : newId("req");
    res.locals["request_id"] = request_id;
    const span = spans?.begin(req, request_id) ?? null;
    const traceparent = span?.traceparent ?? parseTraceparent(req.get("traceparent"));
    res.locals["traceparent"] = traceparent;
    res.set({ "X-Request-Id": request_id, "Cache-Control": "no-store" });
    res.on("close", () => {
      const ms = performance.now() - started;
      const answered = { method: req.method, route: String(res.locals["route"] ?? "none"), status: res.statusCode };
      metrics.answered({ ...answered, seconds: isStream(res) ? null : ms / 1_000 });
      span?.end(answered);
      const trace = traceparent && { trace_id: traceparent.split("-")[1] };
      const run_id = String(res.getHeader("x-run-id") ?? "");
      const run = isSafe(run_id) && { run_id };
      log.info({ request_id, ...trace, ...run, ...answered, ms: Math.round(ms), complete: res.writableFinished });
    });
    if (span) span.within(next);
    else next();
  };
}

/** Whether an id of a client's may stand in a log and in a header. */
const isSafe = (id: string): boolean => /^[\w.:@-]{1,128}$/.test(id);

/** How long a stream lasts is its reader's matter. */
const isStream = (res: Response): boolean =>
  String(res.getHeader("content-type") ?? "").startsWith("text/event-stream");

export const requestId = (res: Response): string => String(res.locals["request_id"]);

/** Returns what a handler gets besides the parsed parts of its request. */
export function requestInfo(req: Request, res: Response): Omit<RequestInfo, "caller" | "holdOpen"> {
  return {
    request_id: requestId(res),
    traceparent: res.locals["traceparent"] as string | undefined,
    ip: clientAddress(req),
    sender: senderOf(req),
    untilGone: () => untilGone(res),
  };
}

function senderOf(req: Request): Sender {
  return {
    credentials: credentialsOf(req),
    is_foreign: isForeignPage(req.headers),
    is_https: isHttps(req.headers),
    user_agent: req.headers["user-agent"]?.slice(0, 256) ?? null,
  };
}

export function credentialsOf(req: Request): Credentials {
  return {
    authorization: req.get("authorization"),
    apiKey: req.get("x-api-key"),
    token: queryOf(req)["token"],
    session: readSessionCookie(req),
  };
}

/** Returns the query parameters. Of a repeated name the last value counts, as in FastAPI. */
export function queryOf({ originalUrl: url }: Request): Record<string, string> {
  const at = url.indexOf("?");
  return at < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(at)));
}
