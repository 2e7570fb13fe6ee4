import { onTrace, type TraceMark } from "../../shared/platform/run-trace-marks.ts";
import type { Attributes, Span, Tracing } from "../../shared/platform/tracing/open-tracing.ts";
import type { RunEventBody, Usage } from "../../shared/schemas/run-event.ts";
import type { ClaimedRun } from "../../shared/store/runs/queue/claimed-run.ts";

export type AttemptSpans = {
  /** Begins the attempt's spans. Returns the run with the attempt as the parent of what its agent traces. */
  begin(run: ClaimedRun): ClaimedRun;
  /** Called with each event that the attempt publishes: calls and tools have a span each. */
  published(run_id: string, event: RunEventBody): void;
  /** Ends them. `how`: as in the log. */
  end(run: { id: string; attempt: number }, ended: SpanEnding): void;
};

export type SpanEnding = { how: string; error_code: string | null; usage: Usage | null };

type Open = {
  attempt: number;
  span: Span;
  subject: string;
  /** When the last mark came. */
  last: number;
  hasOutput: boolean;
  /** Spans of calls and tools that have begun, by their own ids. */
  parts: Map<string, Span>;
  begun: number;
};

type EventOf<T extends RunEventBody["type"]> = Extract<RunEventBody, { type: T }>;

/** What the time up to a mark was spent with. */
const steps: Partial<Record<TraceMark["step"], string>> = {
  taken: "sandbox",
  exited: "run",
  finalized: "finalize",
  announced: "announce",
};

/** An agent decides how many tools it says that it calls. */
const mostParts = 1_000;
/** More runs than a worker ever claims at once. */
const mostWoken = 10_000;
const mostName = 128;

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/ */
export function createAttemptSpans(tracing: Tracing): AttemptSpans {
  /** When runs were woken that are not claimed yet. */
  const woken = new Map<string, number>();
  const open = new Map<string, Open>();

  onTrace(({ run_id, step, at }) => {
    if (step === "woken") {
      woken.set(run_id, at);
      if (woken.size > mostWoken) woken.delete(String(woken.keys().next().value));
      return;
    }
    const of = open.get(run_id);
    if (!of) return;
    // Each frame of an agent marks its first one again.
    if (step === "first_frame") return markOutput(of, at);
    const name = steps[step];
    if (!name) return;
    child(of, name, { at: of.last }).end(at);
    of.last = at;
  });

  function markOutput(of: Open, at: number): void {
    if (!of.hasOutput) of.span.event("first_output", at);
    of.hasOutput = true;
  }

  const child = (
    { span, subject }: Open,
    name: string,
    more: { at?: number; kind?: "client" | "internal"; attributes?: Attributes } = {},
  ): Span => tracing.begin(name, { parent: span.traceparent, subject, ...more });

  function part(of: Open, id: string, name: string, more: Parameters<typeof child>[2]): void {
    of.begun += 1;
    if (of.begun <= mostParts) of.parts.set(id, child(of, name.slice(0, mostName), more));
  }

  function endPart(of: Open, id: string, attributes: Attributes, fault: string | null): void {
    const span = of.parts.get(id);
    if (!span) return;
    of.parts.delete(id);
    span.set(attributes);
    if (fault !== null) span.fail(fault);
    span.end();
  }

  function beginTool(of: Open, { call_id, name }: EventOf<"tool.start">): void {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": call_id,
    };
    part(of, `tool:${call_id}`, `execute_tool ${name}`, { attributes });
  }

  function beginCall(of: Open, { call, method, host, connection, model }: EventOf<"call.start">): void {
    const attributes = {
      "http.request.method": method,
      "server.address": host,
      "runfleet.connection": connection,
      ...(model !== null && { "gen_ai.operation.name": "chat", "gen_ai.request.model": model }),
    };
    part(of, `call:${call}`, model === null ? method : `chat ${model}`, { kind: "client", attributes });
  }

  function endCall(of: Open, { call, status, model, counted, recorded, ...tokens }: EventOf<"call.end">): void {
    const attributes = {
      "runfleet.recorded": recorded,
      ...(status !== null && { "http.response.status_code": status }),
      ...(model !== null && { "gen_ai.response.model": model }),
      ...(counted !== null && counted !== "unknown" && usageAttributes(tokens)),
    };
    const isAnswered = status !== null && status < 400;
    endPart(of, `call:${call}`, attributes, isAnswered ? null : String(status ?? "no_answer"));
  }

  return {
    begin(run) {
      const { id, attempt, traceparent: parent, agent_id, version, thread_id, adapter_type } = run;
      const now = performance.timeOrigin + performance.now();
      const wokenAt = woken.get(id) ?? now;
      woken.delete(id);
      const named = { "runfleet.run.id": id, "runfleet.attempt": attempt };
      const queued = { parent, subject: id, attributes: named };
      // A clock that differs from Postgres' would put the end before the beginning.
      tracing.begin("queue", { ...queued, kind: "consumer", at: wokenAt - run.waited_ms }).end(wokenAt);
      tracing.begin("claim", { ...queued, at: wokenAt }).end(now);
      const span = tracing.begin(`invoke_agent ${agent_id}`.slice(0, mostName), {
        ...{ parent, subject: id, at: now },
        attributes: {
          ...named,
          "runfleet.adapter": adapter_type,
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": "runfleet",
          "gen_ai.agent.id": agent_id,
          "gen_ai.agent.version": version,
          ...(thread_id !== null && { "gen_ai.conversation.id": thread_id }),
        },
      });
      open.set(id, { attempt, span, subject: id, last: now, hasOutput: false, parts: new Map(), begun: 0 });
      return { ...run, traceparent: span.traceparent };
    },

    published(run_id, event) {
      const of = open.get(run_id);
      if (!of) return;
      if (event.type === "tool.start") beginTool(of, event);
      if (event.type === "tool.end")
        endPart(of, `tool:${event.call_id}`, {}, event.error === null ? null : "tool_error");
      if (event.type === "call.start") beginCall(of, event);
      if (event.type === "call.end") endCall(of, event);
    },

    end({ id, attempt }, { how, error_code, usage }) {
      const of = open.get(id);
      if (of?.attempt !== attempt) return;
      open.delete(id);
      for (const left of of.parts.values()) left.end();
      of.span.set({
        "runfleet.ending": how,
        ...(error_code !== null && { "error.type": error_code }),
        ...(usage && usageAttributes(usage)),
      });
      if (error_code !== null) of.span.fail(error_code);
      of.span.end();
    },
  };
}

const usageAttributes = ({
  input_tokens,
  output_tokens,
}: Pick<Usage, "input_tokens" | "output_tokens">): Attributes => ({
  ...(input_tokens !== undefined && { "gen_ai.usage.input_tokens": input_tokens }),
  ...(output_tokens !== undefined && { "gen_ai.usage.output_tokens": output_tokens }),
});
