import { answer, openReceiver, type Receiver } from "./receiver.ts";

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Attribute = { key: string; value: Value };

/** A span as a collector gets it. Times are in ms since the epoch. */
export type SentSpan = {
  name: string;
  trace: string;
  id: string;
  parent: string | null;
  kind: number;
  from: number;
  to: number;
  service: string;
  attributes: Record<string, string | number | boolean | undefined>;
  events: string[];
  isFailed: boolean;
};

export type TraceCollector = Pick<Receiver, "url" | "got" | "react" | "close"> & { spans(): SentSpan[] };

type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        kind: number;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
        events?: { name: string }[];
        status: { code?: number };
      }[];
    }[];
  }[];
};

/** A collector that takes traces by OTLP over HTTP, in JSON, on this machine. */
export async function openTraceCollector(): Promise<TraceCollector> {
  const receiver = await openReceiver();
  receiver.react(answer(200, { "content-type": "application/json" }));
  return {
    ...receiver,
    spans: () => receiver.got.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => spansOf(body as Sent)),
  };
}

const spansOf = ({ resourceSpans }: Sent): SentSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        trace: span.traceId,
        id: span.spanId,
        parent: span.parentSpanId ?? null,
        kind: span.kind,
        from: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
        to: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
        service: String(valuesOf(resource.attributes)["service.name"]),
        attributes: valuesOf(span.attributes),
        events: (span.events ?? []).map(({ name }) => name),
        isFailed: span.status.code === 2,
      })),
    ),
  );

const valuesOf = (attributes: Attribute[]): SentSpan["attributes"] =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)),
    ]),
  );
