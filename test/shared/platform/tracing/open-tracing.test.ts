import { pino } from "pino";
import { PassThrough } from "node:stream";
import { afterAll, beforeEach, expect, test } from "vitest";
import { loadConfig, type TracingConfig } from "../../../../shared/platform/config/load-config.ts";
import { openTracing } from "../../../../shared/platform/tracing/open-tracing.ts";
import { openTraceCollector } from "../../../harness/trace-collector.ts";
import { answer } from "../../../harness/receiver.ts";

/** Spans leave by OpenTelemetry's protocol, as its standard variables say. */
const collector = await openTraceCollector();
afterAll(() => collector.close());
beforeEach(() => void (collector.got.length = 0));

const configOf = (env: Record<string, string>): TracingConfig | null =>
  loadConfig({
    DATABASE_URL: "postgresql://nobody@127.0.0.1/none",
    REDIS_URL: "redis://127.0.0.1:1",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...env,
  }).tracing;

const log = pino({ level: "silent" });
async function open(env: Record<string, string>) {
  const tracing = await openTracing(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }), "worker", log);
  if (!tracing) throw new Error("There is no tracing.");
  return tracing;
}

test("without an endpoint, or when it is disabled, there is nothing to open", async () => {
  expect(configOf({})).toBeNull();
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeNull();
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: "true" })).toBeNull();
  expect(await openTracing(null, "api", log)).toBeNull();
});

test("the endpoint, headers and names of the standard variables are used", async () => {
  const tracing = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-tenant=t1",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_SERVICE_NAME: "fleet",
  });
  tracing.begin("one", { parent: null, subject: "run_1", attributes: { n: 1 } }).end();
  await tracing.close();
  expect(collector.got[0]?.headers).toMatchObject({ authorization: "Bearer abc", "x-tenant": "t1" });
  expect(collector.got[0]?.text).toContain("deployment.environment.name");
  expect(collector.spans()).toMatchObject([{ name: "one", service: "fleet", parent: null, attributes: { n: 1 } }]);
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" })?.url).toBe(
    "http://collector:4318/v1/traces",
  );
});

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
  { OTEL_EXPORTER_OTLP_HEADERS: "no-equals-sign" },
  { OTEL_EXPORTER_OTLP_HEADERS: "a=%" },
  { OTEL_TRACES_SAMPLER: "sometimes" },
  { OTEL_TRACES_SAMPLER_ARG: "2" },
])("a fault in %o is named at start, without its value", (env) => {
  const [[name, value] = ["", ""]] = Object.entries(env);
  const fault = (): unknown => configOf(env);
  expect(fault).toThrow(name);
  expect(fault).not.toThrow(value);
});

test("spans of one subject without a parent are of one trace, and a child is of its parent's", async () => {
  const tracing = await open({});
  const first = tracing.begin("first", { parent: null, subject: "run_1" });
  tracing.begin("second", { parent: null, subject: "run_1" }).end();
  tracing.begin("other", { parent: null, subject: "run_2" }).end();
  tracing.begin("child", { parent: first.traceparent, subject: "run_9" }).end();
  first.end();
  await tracing.close();
  const trace = (name: string) => collector.spans().find((span) => span.name === name);
  expect(trace("second")?.trace).toBe(trace("first")?.trace);
  expect(trace("other")?.trace).not.toBe(trace("first")?.trace);
  expect(trace("child")).toMatchObject({ trace: trace("first")?.trace, parent: trace("first")?.id });
});

test("what a client doesn't sample isn't sent, and its trace goes on unsampled", async () => {
  const parent = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
  const tracing = await open({});
  const span = tracing.begin("unsampled", { parent, subject: "run_1" });
  span.end();
  tracing.begin("sampled", { parent: `${parent.slice(0, -2)}01`, subject: "run_1" }).end();
  await tracing.close();
  expect(span.traceparent).toMatch(/^00-a{32}-[0-9a-f]{16}-00$/);
  expect(collector.spans().map(({ name }) => name)).toEqual(["sampled"]);

  const none = await open({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" });
  none.begin("root", { parent: null, subject: "run_1" }).end();
  await none.close();
  expect(collector.spans()).toHaveLength(1);
});

test("a collector that refuses spans is complained of once, and delays the end of a process for seconds only", async () => {
  collector.react(answer(400));
  const lines: string[] = [];
  const sink = new PassThrough().on("data", (line: Buffer) => lines.push(line.toString()));
  const config = configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const refused = await openTracing(config, "api", pino(sink));
  refused?.begin("lost", { parent: null, subject: "run_1" }).end();
  await refused?.close();
  collector.react(() => undefined);
  const silent = await openTracing(config, "api", pino(sink));
  silent?.begin("lost", { parent: null, subject: "run_1" }).end();
  const began = performance.now();
  await silent?.close();
  expect(performance.now() - began).toBeLessThan(8_000);
  expect(lines.filter((line) => line.includes("spans could not be sent"))).toHaveLength(1);
});
