import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { collectDefaultMetrics, Counter, type Registry } from "prom-client";
import { onLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { exportQueueWaits } from "./queue-waits.ts";
import { exportStageTimes } from "./stage-times.ts";
import { exportGauges, type WorkerLoad } from "./worker-gauges.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** What a worker is asked from outside. */
export type WorkerStatus = WorkerLoad & {
  registry: Registry;
  /** Whether it takes runs. */
  isActive(): boolean;
};

export type MetricsServer = { close(): void };

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` of a worker, for a monitor and a supervisor. Whoever reaches the address
 * may read: what is there names no run, no agent and no owner. Rejects when the address can't be had.
 */
export async function serveMetrics(
  address: { host: string; port: number },
  seen: WorkerStatus,
): Promise<MetricsServer> {
  const { registry } = seen;
  collectDefaultMetrics({ register: registry });
  exportGauges(registry, seen);
  exportFailedDuties(registry);
  exportQueueWaits(registry);
  exportStageTimes(registry);
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (req, res) => {
    if (req.method !== "GET" && req.method !== "HEAD") return answer(res, 405, "Only GET is answered.");
    const path = (req.url ?? "").split("?")[0];
    if (path === "/health/live") return answer(res, 200, "The worker is alive.");
    if (path === "/health/ready")
      return seen.isActive()
        ? answer(res, 200, "The worker takes runs.")
        : answer(res, 503, "The worker takes no runs.");
    if (path !== "/metrics") return answer(res, 404, "There are /metrics, /health/live and /health/ready.");
    registry.metrics().then(
      (text) => res.writeHead(200, { "content-type": registry.contentType }).end(text),
      (error: unknown) => answer(res, 500, errorText(error)),
    );
  });
  server.listen(address.port, address.host);
  await once(server, "listening");
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

function exportFailedDuties(registry: Registry): void {
  const failures = new Counter({
    name: "runfleet_duty_failures_total",
    help: "Periodic duties of this worker that failed and are tried again",
    labelNames: ["duty"],
    registers: [registry],
  });
  onLoop(({ name, isFailed }) => failures.inc({ duty: name }, isFailed ? 1 : 0));
}
