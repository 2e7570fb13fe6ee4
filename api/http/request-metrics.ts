import { Counter, Histogram, type Registry } from "prom-client";

/** `route`: the operation's path with its parameters' names. `seconds`: null for a stream. */
export type Answered = { method: string; route: string; status: number; seconds: number | null };

export type RequestMetrics = { answered(request: Answered): void };

/** Only methods that operations have: any text can be a method. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 120];

/** Counts requests, and how long their answers took. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "runfleet_http_requests_total",
    help: "Requests that were answered",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const took = new Histogram({
    name: "runfleet_http_request_seconds",
    help: "How long requests took to be answered, streams left out",
    labelNames: ["route"],
    buckets,
    registers,
  });
  return {
    answered({ method, route, status, seconds }) {
      requests.inc({ method: methods.has(method) ? method : "other", route, status });
      if (seconds !== null) took.observe({ route }, seconds);
    },
  };
}
