import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import type { EventOf, Machine } from "./projection.ts";
import { spokenText } from "./speech.ts";

type Thing = EventOf<"tool.start" | "tool.end" | "artifact" | "custom" | "output.delta">;
/** `event`: as the latest attempt gave it. `call_id`: the id that the reader knows its call by. */
type Shown = { kind: "text"; text: string } | { kind: "thing"; event: Thing; call_id: string };

/** In characters. Of a run that says more, a restart is told at once instead of being compared. */
const maxShownLength = 256 * 1024;

/**
 * Gives a machine each thing once. A run that starts again, with an answer or after its worker was lost, says again what it
 * said before: that is skipped as long as it is the same. At the first difference the machine is told of the restart, and is
 * given the new attempt from its beginning. For protocols that can't withdraw what they sent.
 */
export function skipRepeats(machine: Machine): Machine {
  const filter = startFilter();
  return { ...machine, push: (event) => filter(event).flatMap((passed) => machine.push(passed)) };
}

function startFilter(): (event: RunEvent) => RunEvent[] {
  let shown: Shown[] = [];
  let length = 0;
  /** The next thing of `shown` that the attempt may repeat, and how much of its text it has repeated. */
  let at = { index: 0, offset: 0 };
  let restart: EventOf<"run.started"> | null = null;
  /** The ids that the reader knows repeated tool calls by. */
  let callIds = new Map<string, string>();

  function add(item: Shown): void {
    length += item.kind === "text" ? item.text.length : JSON.stringify(item.event).length;
    const last = shown.at(-1);
    if (item.kind === "text" && last?.kind === "text") last.text += item.text;
    else shown.push(item);
    at = { index: shown.length, offset: 0 };
  }

  /** Tells of the restart, and gives what the attempt has repeated so far. */
  function diverge(event: RunEvent): RunEvent[] {
    const { run_id, attempt, seq, ts } = event;
    const repeated = shown
      .slice(0, at.offset > 0 ? at.index + 1 : at.index)
      .map((item, index) =>
        item.kind === "text" && index === at.index ? { ...item, text: item.text.slice(0, at.offset) } : item,
      );
    const told = restart;
    forget();
    for (const item of repeated) add(item.kind === "text" ? item : { ...item, call_id: callIdOf(item.event) });
    const again = repeated.map((item): RunEvent =>
      item.kind === "text"
        ? { type: "output.delta", content: item.text, run_id, attempt, seq, ts }
        : { ...item.event, attempt, seq, ts },
    );
    return [...(told ? [told] : []), ...again];
  }

  function forget(): void {
    shown = [];
    length = 0;
    at = { index: 0, offset: 0 };
    restart = null;
    callIds = new Map();
  }

  function start(event: EventOf<"run.started">): RunEvent[] {
    if (!event.discards || length === 0) return [event];
    if (length > maxShownLength) {
      forget();
      return [event];
    }
    at = { index: 0, offset: 0 };
    restart = event;
    callIds = new Map();
    const { discards, ...plain } = event;
    // After a question the protocol has ended its own run. Otherwise what is open goes on.
    return discards.reason === "resumed" ? [plain] : [];
  }

  function say(event: EventOf<"output.delta">, said: string): RunEvent[] {
    let text = said;
    while (text !== "" && at.index < shown.length) {
      const item = shown[at.index];
      if (item?.kind !== "text") return [...diverge(event), ...pass(event, text)];
      const rest = item.text.slice(at.offset);
      if (rest.startsWith(text)) {
        at.offset += text.length;
        text = "";
      } else if (text.startsWith(rest)) {
        text = text.slice(rest.length);
        at = { index: at.index + 1, offset: 0 };
      } else return [...diverge(event), ...pass(event, text)];
      if (at.offset === item.text.length) at = { index: at.index + 1, offset: 0 };
    }
    return text === "" ? [] : pass(event, text);
  }

  function pass(event: EventOf<"output.delta">, text: string): RunEvent[] {
    if (length <= maxShownLength) add({ kind: "text", text });
    return [{ ...event, content: text }];
  }

  function give(event: Thing): RunEvent[] {
    const item = shown[at.index];
    if (item?.kind === "thing" && at.offset === 0 && isSame(item.event, event)) {
      callIds.set(callIdOf(event), item.call_id);
      item.event = event;
      at.index += 1;
      return [];
    }
    const before = at.index < shown.length ? diverge(event) : [];
    const call_id = callIds.get(callIdOf(event)) ?? callIdOf(event);
    if (length <= maxShownLength) add({ kind: "thing", event, call_id });
    return [...before, "call_id" in event ? { ...event, call_id } : event];
  }

  return (event) => {
    switch (event.type) {
      case "run.started":
        return start(event);
      case "output.delta": {
        const text = spokenText(event.content);
        return text === null ? give(event) : say(event, text);
      }
      case "tool.start":
      case "tool.end":
      case "artifact":
      case "custom":
        return give(event);
      default:
        return [event];
    }
  };
}

const callIdOf = (event: Thing): string => ("call_id" in event ? event.call_id : "");

/** True when two attempts gave the same thing. Ids of calls, times and places differ. */
function isSame(one: Thing, other: Thing): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

function contentOf(event: Thing): unknown[] {
  switch (event.type) {
    case "tool.start":
      return [event.type, event.name, event.args];
    case "tool.end":
      return [event.type, event.result, event.error];
    case "artifact":
      return [event.type, event.name, event.sha256];
    case "custom":
      return [event.type, event.name, event.value];
    case "output.delta":
      return [event.type, event.content];
  }
}
