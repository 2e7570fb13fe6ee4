import type { EventOf, Run, RunEvent } from "../../sdk/ts/index.ts";

export type SpanKind = "queue" | "attempt" | "void" | "step" | "tool" | "call" | "wait" | "question" | "artifact";

/** A stretch of a run's time. `end`: null while it goes on. Times are milliseconds since 1970. */
export type Span = {
  key: string;
  kind: SpanKind;
  name: string;
  /** What it was about: arguments, a worker, a model. */
  detail: string;
  /** The attempt it belongs to; 0 before the first. */
  attempt: number;
  start: number;
  end: number | null;
  isFailed: boolean;
  /** The event at which it begins. */
  eventId: string;
};

type Open = Map<string, Span>;

type Begins = Pick<Run, "started_at" | "queue_ms">;

/**
 * Returns what a run did, in the order in which it began: waits for a worker, attempts, and what each attempt did. `run` says when
 * its first attempt was a worker's, and how long it had waited for that. Until its first event that attempt was being made ready.
 */
export function spansOf(events: readonly RunEvent[], run: Begins | null = null): Span[] {
  const spans: Span[] = [];
  const open: Open = new Map();
  for (const event of events) {
    const at = timeOf(event.ts);
    for (const key of endedBy(event, open)) end(open, key, at);
    const begun = begunBy(event);
    if (begun?.kind === "attempt" && event.type === "run.started") markVoid(spans, event);
    if (!begun) {
      noteEnd(open, event, at);
      continue;
    }
    const place = { attempt: event.attempt, start: at, eventId: `${event.attempt}-${event.seq}` };
    const span: Span = { end: null, isFailed: false, ...begun, ...place };
    spans.push(span);
    if (span.end === null) open.set(span.key, span);
  }
  if (run !== null) beginFirst(spans, run);
  return spans;
}

function beginFirst(spans: Span[], { started_at, queue_ms }: Begins): void {
  const [queued, first] = spans;
  const at = started_at === null ? NaN : timeOf(started_at);
  if (queued?.kind !== "queue" || first?.key !== "attempt" || !(at >= queued.start && at <= first.start)) return;
  queued.end = at;
  // The API told of it before it was committed.
  queued.start = Math.max(queued.start, at - (queue_ms ?? Infinity));
  first.start = at;
}

type Begun = Pick<Span, "key" | "kind" | "name" | "detail"> & Partial<Pick<Span, "end">>;

const beginnings: { [type in RunEvent["type"]]?: (event: EventOf<type>) => Begun } = {
  "run.queued": ({ queue }) => ({ key: "queue", kind: "queue", name: "queued", detail: reasonOf(queue.wait_reason) }),
  "run.waiting": ({ queue }) => ({ key: "queue", kind: "queue", name: "waiting", detail: reasonOf(queue.wait_reason) }),
  "run.started": ({ attempt, warm, sandbox }) => ({
    key: "attempt",
    kind: "attempt",
    name: `attempt ${attempt}`,
    detail: `${warm ? "warm, " : ""}${sandbox.name}`,
  }),
  "tool.start": ({ call_id, name, args }) => ({ key: `tool ${call_id}`, kind: "tool", name, detail: short(args) }),
  "step.start": ({ key, name, try: tries }) => ({
    key: `step ${key}`,
    kind: "step",
    name,
    detail: tries > 1 ? `try ${tries}` : "",
  }),
  "call.start": ({ call, connection, model, method, path }) => ({
    key: `call ${call}`,
    kind: "call",
    name: connection,
    detail: model ?? `${method} ${path}`,
  }),
  "wait.opened": ({ key, name, kind }) => ({ key: `wait ${key}`, kind: "wait", name, detail: kind }),
  "run.interrupted": ({ interrupts }) => ({
    key: "question",
    kind: "question",
    name: "asks a person",
    detail: interrupts.map(({ message, reason }) => message ?? reason).join(" · "),
  }),
  "run.suspended": () => ({ key: "queue", kind: "wait", name: "suspended", detail: "without a process" }),
  artifact: ({ name, mime, ts }) => ({
    key: `artifact ${name}`,
    kind: "artifact",
    name,
    detail: mime,
    end: timeOf(ts),
  }),
};

function begunBy(event: RunEvent): Begun | null {
  const begin = beginnings[event.type] as ((event: RunEvent) => Begun) | undefined;
  return begin?.(event) ?? null;
}

const timeOf = (ts: string): number => new Date(ts).getTime();

/** Returns the keys of what an event ends besides its own. */
function endedBy(event: RunEvent, open: Open): string[] {
  if (event.type === "run.started") return ["queue", "question", ...inside(open)];
  if (event.type === "run.waiting") return ["attempt", "queue", ...inside(open)];
  if (event.type === "run.interrupted" || event.type === "run.suspended") return ["attempt", ...inside(open, "wait")];
  return event.type.startsWith("run.") && "status" in event && event.type !== "run.queued" ? [...open.keys()] : [];
}

/** What an attempt did ends with it. Waits stay open while the run is suspended. */
const inside = (open: Open, but?: SpanKind): string[] =>
  [...open.values()]
    .filter(({ kind }) => kind === "attempt" || ["tool", "step", "call", "wait"].includes(kind))
    .filter(({ kind }) => kind !== but)
    .map(({ key }) => key);

function noteEnd(open: Open, event: RunEvent, at: number): void {
  if (event.type === "tool.end")
    return end(open, `tool ${event.call_id}`, at, { isFailed: event.error !== null, took: event.duration_ms });
  if (event.type === "step.end")
    return end(open, `step ${event.key}`, at, { isFailed: !event.ok, took: event.duration_ms });
  if (event.type === "step.retrying") return end(open, `step ${event.key}`, at, { isFailed: true });
  if (event.type === "wait.ended") return end(open, `wait ${event.key}`, at, { isFailed: event.by === "timeout" });
  if (event.type === "call.end")
    return end(open, `call ${event.call}`, at, {
      isFailed: event.status === null || event.status >= 400,
      took: event.duration_ms,
    });
}

type Ending = { isFailed?: boolean; took?: number | null };

/** Events that come together have the same time: how long it took is said by the ending itself. */
function end(open: Open, key: string, at: number, { isFailed = false, took = null }: Ending = {}): void {
  const span = open.get(key);
  if (!span) return;
  span.end = at;
  span.start = Math.min(span.start, at - (took ?? 0));
  span.isFailed = isFailed;
  open.delete(key);
}

/** An attempt whose output is void, or a part of it. */
function markVoid(spans: Span[], event: Extract<RunEvent, { type: "run.started" }>): void {
  const reason = event.discards?.reason ?? event.reason;
  if (reason === undefined) return;
  const earlier = spans.findLast(({ kind }) => kind === "attempt");
  if (!earlier) return;
  if (event.discards) earlier.kind = "void";
  earlier.detail = `${event.discards ? "void" : "stands in part"}: ${reason.replaceAll("_", " ")}`;
}

const reasonOf = (reason: string | null): string => reason?.replaceAll("_", " ") ?? "";

/** Arguments on a bar are a hint; the event has all of them. */
function short(args: unknown): string {
  if (args === null || args === undefined) return "";
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
