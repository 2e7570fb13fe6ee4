import type { EventId } from "../../../shared/domain/run/event-id.ts";
import { voidedBy, type Withdrawal } from "../../../shared/domain/run/void-events.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import type { EventOf, Machine } from "./projection.ts";
import { spokenText } from "./speech.ts";

type Thing = EventOf<"tool.start" | "tool.end" | "artifact" | "custom" | "output.delta">;
/** `event`: as the latest attempt gave it. `call_id`: the id that the reader knows its call by. `at`: the event's id. */
type Shown = { at: EventId } & ({ kind: "text"; text: string } | { kind: "thing"; event: Thing; call_id: string });

/** In characters. Of a run that says more, a restart is told at once instead of being compared. */
const maxShownLength = 256 * 1024;
/** What each thing counts besides its characters, so that there aren't too many of them. */
const itemLength = 16;
/** So much is given anew to one reader, in characters. After that a restart is only told. */
const maxRestatedLength = 4 * maxShownLength;

/**
 * Gives a machine each thing once. A run that starts again, with an answer or after its worker was lost, says again what it
 * said before and what does not stand: that is skipped as long as it is the same. At the first difference the machine is told
 * of the restart, and is given anew all that stands. For protocols that can't withdraw what they sent.
 */
export function skipRepeats(machine: Machine): Machine {
  const filter = startFilter({ compares: true });
  return { ...machine, push: (event) => filter(event).flatMap((passed) => machine.push(passed)) };
}

/**
 * Gives `push` the events of a run that starts again so that a format which knows void attempts only shows each thing once:
 * where a part of what was said is void, all of it is discarded, and what stands is given anew.
 */
export function restateStanding<Message>(push: (event: RunEvent) => Message[]): (event: RunEvent) => Message[] {
  const filter = startFilter({ compares: false });
  return (event) => filter(event).flatMap(push);
}

/** `compares`: a restart is told at the first thing that is not said again, instead of at once. */
function startFilter({ compares }: { compares: boolean }): (event: RunEvent) => RunEvent[] {
  /** What the reader has and stands, in order. */
  let given: Shown[] = [];
  /** What the reader has and is void, in order: the run may say it again. */
  let awaited: Shown[] = [];
  let length = 0;
  let restated = 0;
  /** What the machine is told at the first difference. */
  let restart: EventOf<"run.started"> | null = null;
  let lastStart: EventOf<"run.started"> | null = null;
  /** The ids that the reader knows repeated tool calls by. */
  let callIds = new Map<string, string>();

  function add(item: Shown): void {
    length += lengthOf(item);
    given.push(item);
  }

  /** Tells of the restart, and gives again what stands, this attempt's words so far included. */
  function diverge(event: RunEvent): RunEvent[] {
    const { run_id, attempt, seq, ts } = event;
    const [told, standing] = [restart, given];
    restated += length;
    forget();
    if (restated > maxRestatedLength) return told ? [told] : [];
    for (const item of standing) add(item.kind === "text" ? item : { ...item, call_id: callIdOf(item.event) });
    const again = joinTexts(standing).map((item): RunEvent =>
      typeof item === "string"
        ? { type: "output.delta", content: item, run_id, attempt, seq, ts }
        : { ...item, attempt, seq, ts },
    );
    return [...(told ? [told] : []), ...again];
  }

  function forget(): void {
    [given, awaited] = [[], []];
    length = 0;
    restart = null;
    callIds = new Map();
  }

  function start(event: EventOf<"run.started">): RunEvent[] {
    const { keeps, voids: _, reason = "", discards, ...plain } = event;
    lastStart = plain;
    const why = discards ?? (keeps === undefined ? null : { attempt: event.attempt - 1, reason });
    if (!why || length === 0) return [discards ? event : plain];
    if (length > maxShownLength) return startUncompared(event, plain, why.reason);
    const isPartial = withdraw(event, { ...plain, discards: why });
    callIds = new Map();
    // After a question the protocol has ended its own run. Otherwise what is open goes on.
    const isResumed = why.reason === "resumed";
    if (compares) return isResumed ? [plain] : [];
    return isPartial || isResumed ? diverge(event) : [];
  }

  /** What stands is not said again, so the reader must not take it for void. */
  function startUncompared(event: EventOf<"run.started">, plain: EventOf<"run.started">, reason: string): RunEvent[] {
    forget();
    if (event.discards) return [event];
    return reason === "resumed" ? [plain] : [];
  }

  /** Returns whether anything that the reader has is void now. */
  function withdraw(by: Withdrawal, told: EventOf<"run.started">): boolean {
    const isVoid = voidedBy(by);
    const withdrawn = given.filter(({ at }) => isVoid(at));
    given = given.filter(({ at }) => !isVoid(at));
    awaited = [...withdrawn, ...awaited];
    restart = told;
    return withdrawn.length > 0;
  }

  /** The words of a failed try: the next one may say them again. */
  function retryStep(event: EventOf<"step.retrying">): RunEvent[] {
    const discards = { attempt: event.attempt, reason: "step_retrying" };
    if (!lastStart || event.voids.length === 0 || length > maxShownLength) return [event];
    const isPartial = withdraw(event, { ...lastStart, discards });
    return [event, ...(isPartial && !compares ? diverge(event) : [])];
  }

  function say(event: EventOf<"output.delta">, said: string): RunEvent[] {
    let text = said;
    while (text !== "") {
      const item = awaited[0];
      if (!item) return pass(event, text);
      if (item.kind !== "text") return [...diverge(event), ...pass(event, text)];
      const same = text.length < item.text.length ? text : item.text;
      if (!text.startsWith(same) || !item.text.startsWith(same)) return [...diverge(event), ...pass(event, text)];
      text = text.slice(same.length);
      awaited.shift();
      length -= lengthOf(item);
      if (same.length < item.text.length) {
        const left = { ...item, text: item.text.slice(same.length) };
        awaited.unshift(left);
        length += lengthOf(left);
      }
      add({ kind: "text", text: same, at: event });
    }
    return [];
  }

  function pass(event: EventOf<"output.delta">, text: string): RunEvent[] {
    if (length <= maxShownLength) add({ kind: "text", text, at: event });
    return [{ ...event, content: text }];
  }

  function give(event: Thing): RunEvent[] {
    const item = awaited[0];
    if (item?.kind === "thing" && isSame(item.event, event)) {
      callIds.set(callIdOf(event), item.call_id);
      awaited.shift();
      length -= lengthOf(item);
      add({ kind: "thing", event, call_id: item.call_id, at: event });
      return [];
    }
    const before = item ? diverge(event) : [];
    const call_id = callIds.get(callIdOf(event)) ?? callIdOf(event);
    if (length <= maxShownLength) add({ kind: "thing", event, call_id, at: event });
    return [...before, "call_id" in event ? { ...event, call_id } : event];
  }

  return (event) => {
    switch (event.type) {
      case "run.started":
        return start(event);
      case "step.retrying":
        return retryStep(event);
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

const lengthOf = (item: Shown): number =>
  itemLength + (item.kind === "text" ? item.text.length : JSON.stringify(item.event).length);

/** Returns texts and things in their order; texts that follow each other are one. */
function joinTexts(items: readonly Shown[]): (string | Thing)[] {
  const joined: (string | Thing)[] = [];
  let texts: string[] = [];
  for (const item of items) {
    if (item.kind === "text") texts.push(item.text);
    else {
      if (texts.length > 0) joined.push(texts.join(""));
      texts = [];
      joined.push(item.event);
    }
  }
  return texts.length > 0 ? [...joined, texts.join("")] : joined;
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
