import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { RunEventBody, Usage } from "../../shared/schemas/run-event.ts";
import type { AbortReason } from "../lease/abort-reason.ts";

/**
 * `budget`: what the agent may report as used, where nothing is metered; undefined for no limit. `spent`: what the run's earlier
 * attempts reported.
 */
export type OutputLimits = {
  output_bytes: number;
  events: number;
  budget: AgentConfig["budget"];
  spent: Usage | null;
};

/** The events to publish, or the limit that the event breaks. */
export type LimitedEvent = { pass: RunEventBody[] } | { broken: AbortReason };

/**
 * Counts what one attempt sends. Text that is too long for one event is split into several; any other event that is too
 * large breaks the limit. Sizes are of the JSON text in UTF-16 units. The text can take up to three times as many bytes on
 * the wire.
 */
export function createOutputLimiter(limits: OutputLimits): (body: RunEventBody) => LimitedEvent {
  let bytes = 0;
  let events = 0;
  let used: Usage = {};
  let isMetered = false;
  return (body) => {
    if (body.type === "usage") {
      const { type: _, source, ...reported } = body;
      // The budget was reserved before each call that is metered. What the agent says besides doesn't count then.
      isMetered ||= source === "metered";
      used = { ...used, ...reported };
      if (!isMetered && isOverBudget(limits.budget, addUsage(limits.spent, used))) return { broken: "budget_exceeded" };
    }
    const parts = splitText(body);
    for (const part of parts) {
      const size = JSON.stringify(part).length;
      bytes += size;
      if (size > largest(part)) return { broken: "event_too_large" };
    }
    events += parts.length;
    if (events > limits.events) return { broken: "event_limit" };
    if (bytes > limits.output_bytes) return { broken: "output_limit" };
    return { pass: parts };
  };
}

/** Usage events report totals: US dollars, and input and output tokens, which count together. */
function isOverBudget(budget: OutputLimits["budget"], usage: Usage | null): boolean {
  const { cost_usd = 0, input_tokens = 0, output_tokens = 0 } = usage ?? {};
  const { usd = Infinity, tokens = Infinity } = budget ?? {};
  return cost_usd > usd || input_tokens + output_tokens > tokens;
}

/** A saved state may be as large as a request's `state_snapshot`. 256 characters are for the event's own keys. */
const largest = ({ type }: RunEventBody) =>
  (type === "state" ? requestLimits.state_bytes : runLimits.event_bytes) + 256;

/** A sixth of the limit: JSON writes a control character as six characters. */
const partLength = Math.floor(runLimits.event_bytes / 6);

function splitText(body: RunEventBody): RunEventBody[] {
  if (body.type === "output.delta" && typeof body.content === "string")
    return cut(body.content).map((content) => ({ ...body, content }));
  if (body.type === "log") return cut(body.message).map((message) => ({ ...body, message }));
  return [body];
}

/** Splits text, but never a surrogate pair. */
function cut(text: string): string[] {
  if (text.length <= partLength) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + partLength, text.length);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}
