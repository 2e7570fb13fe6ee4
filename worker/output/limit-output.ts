import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { requestLimits, runLimits } from "../../shared/domain/run/limits.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { RunEventBody, Usage } from "../../shared/schemas/run-event.ts";
import type { AbortReason } from "../lease/abort-reason.ts";

/** `budget`: of what it tells that it used; undefined: none. `spent`: what its attempts before this one used of it. */
export type OutputLimits = {
  output_bytes: number;
  events: number;
  budget: AgentConfig["budget"];
  spent: Usage | null;
};

/** An event that may pass, or the limit that it breaks. */
export type Passage = { pass: RunEventBody[] } | { broken: AbortReason };

/**
 * Counts what one attempt sends. Text longer than an event may be is passed on in pieces; any other event that is too
 * large breaks its limit. Sizes are of the JSON text, in UTF-16 units: at most a third below the bytes on the wire.
 */
export function createOutputLimiter(limits: OutputLimits): (body: RunEventBody) => Passage {
  let bytes = 0;
  let events = 0;
  let used: Usage = {};
  return (body) => {
    if (body.type === "usage") {
      const { type: _, ...told } = body;
      used = { ...used, ...told };
      if (isOverBudget(limits.budget, addUsage(limits.spent, used))) return { broken: "budget_exceeded" };
    }
    const pieces = splitText(body);
    for (const piece of pieces) {
      const size = JSON.stringify(piece).length;
      bytes += size;
      if (size > largest(piece)) return { broken: "event_too_large" };
    }
    events += pieces.length;
    if (events > limits.events) return { broken: "event_limit" };
    if (bytes > limits.output_bytes) return { broken: "output_limit" };
    return { pass: pieces };
  };
}

/** US dollars, and tokens of both kinds together. What is told are totals. */
function isOverBudget(budget: OutputLimits["budget"], usage: Usage | null): boolean {
  const { cost_usd = 0, input_tokens = 0, output_tokens = 0 } = usage ?? {};
  const { usd = Infinity, tokens = Infinity } = budget ?? {};
  return cost_usd > usd || input_tokens + output_tokens > tokens;
}

/** A saved state may be as large as one that a request brings. 256: the event's own keys. */
const largest = ({ type }: RunEventBody) =>
  (type === "state" ? requestLimits.state_bytes : runLimits.event_bytes) + 256;

/** A sixth of the limit a piece: a control character becomes six in JSON. */
const pieceLength = Math.floor(runLimits.event_bytes / 6);

function splitText(body: RunEventBody): RunEventBody[] {
  if (body.type === "output.delta" && typeof body.content === "string")
    return cut(body.content).map((content) => ({ ...body, content }));
  if (body.type === "log") return cut(body.message).map((message) => ({ ...body, message }));
  return [body];
}

/** Never between the halves of a surrogate pair. */
function cut(text: string): string[] {
  if (text.length <= pieceLength) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + pieceLength, text.length);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
