import { createHash } from "node:crypto";
import type { SpanKind } from "@opentelemetry/api";
import type * as Sdk from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "../config/load-config.ts";
import type { Log } from "../log.ts";
import { version } from "../version.ts";
import { errorText } from "../error-text.ts";

/** Names are those of https://opentelemetry.io/docs/specs/semconv/ where there is one, else they begin with `runfleet.`. */
export type Attributes = Record<string, string | number | boolean>;

/** Times are milliseconds since the epoch, with fractions; without one it is now. */
export type Span = {
  /** Names this span as the parent of others: https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  event(name: string, at?: number): void;
  /** Marks what the span covers as failed. `reason`: a code, or a short text without anybody's data. */
  fail(reason: string): void;
  end(at?: number): void;
};

export type SpanStart = {
  kind?: "internal" | "server" | "client" | "consumer";
  /** A traceparent. Null: the span has no parent, and its trace is that of `subject`. */
  parent: string | null;
  /** The id of what is traced, such as a run's: all spans without a parent that have it are of one trace. */
  subject: string;
  at?: number;
  attributes?: Attributes;
};

export type Tracing = {
  begin(name: string, start: SpanStart): Span;
  /** Sends what has ended, for some seconds at most. */
  close(): Promise<void>;
};

/** What a collector that doesn't answer may delay the end of a process. */
const closeMs = 3_000;
const complaintMs = 60_000;

/** Sends this process's spans to the collector of the configuration. Null without one: then nothing of OpenTelemetry is loaded. */
export async function openTracing(config: TracingConfig | null, role: string, log: Log): Promise<Tracing | null> {
  if (!config) return null;
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = complaining(new OTLPTraceExporter({ url: config.url, headers: config.headers }), log);
  const random = new sdk.RandomIdGenerator();
  let nextTraceId: string | null = null;
  const provider = new sdk.TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.version": version,
        ...config.resource,
        "service.name": config.serviceName ?? config.resource["service.name"] ?? `runfleet-${role}`,
      }),
    ),
    sampler: samplerOf(sdk, config),
    spanLimits: { attributeValueLengthLimit: 1_024 },
    idGenerator: {
      generateTraceId: () => nextTraceId ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("runfleet", version);
  const kinds: Record<NonNullable<SpanStart["kind"]>, SpanKind> = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
  };
  return {
    begin(name, { kind = "internal", parent, subject, at, attributes }) {
      const context = parent
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...readTraceparent(parent), isRemote: true })
        : api.ROOT_CONTEXT;
      nextTraceId = parent ? null : traceIdOf(subject);
      const options = {
        kind: kinds[kind],
        ...(at !== undefined && { startTime: at }),
        ...(attributes && { attributes }),
      };
      const span = tracer.startSpan(name, options, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & api.TraceFlags.SAMPLED}`,
        set: (more) => void span.setAttributes(more),
        rename: (better) => void span.updateName(better),
        event: (what, when) => void span.addEvent(what, when),
        fail: (reason) => void span.setStatus({ code: api.SpanStatusCode.ERROR, message: reason }),
        end: (when) => span.end(when),
      };
    },
    async close() {
      await provider.forceFlush({ timeoutMillis: closeMs }).catch(() => undefined);
      // What a collector didn't take by now is lost.
      void provider.shutdown().catch(() => undefined);
    },
  };
}

function samplerOf(sdk: typeof Sdk, { sampler, ratio }: TracingConfig): Sdk.Sampler {
  const roots: Record<string, () => Sdk.Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.replace("parentbased_", "")]?.() ?? new sdk.AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new sdk.ParentBasedSampler({ root }) : root;
}

/** Logs that spans are lost, once a minute at most: whoever traces would otherwise look for them in vain. */
function complaining(exporter: Sdk.SpanExporter, log: Log): Sdk.SpanExporter {
  let complainedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - complainedAt > complaintMs) {
          complainedAt = performance.now();
          log.warn({ spans: spans.length, err: errorText(result.error).slice(0, 300) }, "spans could not be sent");
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** Returns the trace of spans of `subject` that have no parent. */
const traceIdOf = (subject: string): string => createHash("sha256").update(subject).digest("hex").slice(0, 32);

function readTraceparent(traceparent: string) {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
