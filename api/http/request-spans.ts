import { AsyncLocalStorage } from "node:async_hooks";
import type { Request } from "express";
import type { Span, Tracing } from "../../shared/platform/tracing/open-tracing.ts";
import { onTrace } from "../../shared/platform/run-trace-marks.ts";
import { parseTraceparent } from "./traceparent.ts";

export type RequestSpan = {
  /** What a run that the request starts has as its parent. */
  traceparent: string;
  /** Calls `next` so that the runs that the request starts are known as its own. */
  within(next: () => void): void;
  end(answered: { method: string; route: string; status: number }): void;
};

export type RequestSpans = { begin(req: Request, request_id: string): RequestSpan | null };

type Open = { span: Span; checkedAt: Map<string, number>; committedAt: Map<string, number> };

/** Who asks whether a process is well asks all the time. */
const isProbe = (path: string): boolean => path === "/metrics" || path.startsWith("/health");

/** Makes a span of each request, and below it those of the runs that it starts: `accept` until the commit, then `nudge`. */
export function createRequestSpans(tracing: Tracing): RequestSpans {
  const requests = new AsyncLocalStorage<Open>();
  onTrace(({ run_id, step, at }) => {
    const open = requests.getStore();
    if (!open) return;
    const child = (name: string, from: number | undefined): void =>
      tracing
        .begin(name, {
          parent: open.span.traceparent,
          subject: run_id,
          at: from ?? at,
          attributes: { "runfleet.run.id": run_id },
        })
        .end(at);
    if (step === "checked") open.checkedAt.set(run_id, at);
    if (step === "committed") {
      child("accept", open.checkedAt.get(run_id));
      open.committedAt.set(run_id, at);
    }
    if (step === "queued") child("nudge", open.committedAt.get(run_id));
  });
  return {
    begin(req, request_id) {
      if (isProbe(req.path)) return null;
      const parent = parseTraceparent(req.get("traceparent")) ?? null;
      const attributes = { "http.request.method": req.method, "runfleet.request.id": request_id };
      const span = tracing.begin(req.method, { kind: "server", parent, subject: request_id, attributes });
      return {
        traceparent: span.traceparent,
        within: (next) => requests.run({ span, checkedAt: new Map(), committedAt: new Map() }, next),
        end({ method, route, status }) {
          span.rename(`${method} ${route}`);
          span.set({ "http.route": route, "http.response.status_code": status });
          if (status >= 500) span.fail(String(status));
          span.end();
        },
      };
    },
  };
}
