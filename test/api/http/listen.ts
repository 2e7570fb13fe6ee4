import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { createBodyBudget } from "../../../api/http/body-budget.ts";
import { createHttpApp } from "../../../api/http/create-http-app.ts";
import type { Guards } from "../../../api/http/guards.ts";
import { createHttpServer } from "../../../api/http/create-http-server.ts";
import type { Operation } from "../../../api/http/define-operation.ts";
import { createRequestMetrics } from "../../../api/http/request-metrics.ts";

export type RunningApp = {
  url: string;
  port: number;
  logged: () => Record<string, unknown>[];
  close: () => Promise<void>;
};

/** Everybody may do everything, and nothing is kept: for tests of what comes after. */
const openGuards: Guards = {
  authenticate: () =>
    Promise.resolve({
      owner: null,
      user_id: "public",
      actor: "open",
      scopes: ["admin"],
      key_expires_at: null,
      principal: null,
      session_id: null,
      run_id: null,
      per_minute: { user: null, key: null },
    }),
  limiter: { count: () => Promise.resolve() },
  streams: { count: () => undefined },
  answerOnce: (_key, _body, act) => act(),
  bodies: {
    unsigned: createBodyBudget({ all: 10_000_000, each: 1_500_000 }, "without a key"),
    keyed: createBodyBudget({ all: 100_000_000, each: 50_000_000 }, "of this caller"),
  },
  audit: () => Promise.resolve(),
  close: () => undefined,
};

/** An app of these operations on a port of its own, and what it logged. */
export async function listen(operations: readonly Operation<unknown>[], requestMs = 5_000): Promise<RunningApp> {
  const lines: Record<string, unknown>[] = [];
  const sink = new PassThrough();
  sink.on("data", (line: Buffer) => lines.push(JSON.parse(line.toString())));
  const app = createHttpApp({
    operations,
    protocols: [],
    context: undefined,
    guards: openGuards,
    trustedProxies: [],
    gate: { hosts: null, origins: { any: false, listed: new Set() } },
    log: pino(sink),
    metrics: createRequestMetrics(new Registry()),
    spans: null,
  });
  const server = createHttpServer(app, { headersMs: Math.min(requestMs, 2_000), requestMs });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    logged: () => lines,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
