import { requestLimits } from "../../../shared/domain/run/request-limits.ts";
import { deeperThan } from "../../../shared/domain/json/measure-json.ts";
import { spokenResult } from "../../stream/projections/speech.ts";
import { aiMessage, mergeMessages, type Message, toMessages } from "./messages.ts";

/** What LangGraph calls the state of a graph: the fields of inputs and results, the later ones over the earlier ones. */
export type Values = Record<string, unknown> & { messages?: Message[] };

/** Adds several objects' fields, one after the other: all their messages together. */
export function addAllValues(values: Values, added: readonly object[], place: () => string): Values {
  const fields: Record<string, unknown> = {};
  const messages: Message[] = [];
  let hasMessages = false;
  for (const one of added) {
    const { messages: some, ...others } = one as Record<string, unknown>;
    Object.assign(fields, others);
    if (some === undefined) continue;
    hasMessages = true;
    for (const message of toMessages(some, place())) messages.push(message);
  }
  const merged = addValues(values, fields, place());
  return hasMessages ? { ...merged, messages: mergeMessages(merged.messages ?? [], messages) } : merged;
}

/** Adds fields. `messages` are added to those that are there. `place` names where messages without an id come from. */
export function addValues(values: Values, added: object, place: string): Values {
  const { messages, ...fields } = added as Record<string, unknown>;
  const known = values.messages ?? [];
  const merged = messages === undefined ? known : mergeMessages(known, toMessages(messages, place));
  return {
    ...values,
    ...fields,
    ...(values.messages === undefined && messages === undefined ? {} : { messages: merged }),
  };
}

/** Adds a run's result. `said`: its messages, for a result that has none itself. */
export function addResult(values: Values, runId: string, result: unknown, said: readonly Message[] = []): Values {
  const fields = typeof result === "object" && result !== null ? (result as Record<string, unknown>) : {};
  if ("messages" in fields) return addGraphResult(values, runId, fields);
  const text = said.length > 0 ? null : spokenResult(result);
  const messages = text === null || text === "" ? said : [aiMessage(`${runId}-out`, text)];
  return addValues(values, messages.length > 0 ? { ...fields, messages } : fields, runId);
}

/**
 * Adds the result of an agent that keeps messages itself. It gave ids of its own to the messages of its input, so each of them
 * takes the place of the input's message with the same text.
 */
function addGraphResult(values: Values, runId: string, { messages, ...fields }: Record<string, unknown>): Values {
  const known = [...(values.messages ?? [])];
  const ids = new Set(known.map(({ id }) => id));
  /** The places of the input's messages, by what they say; the first one last. */
  const places = new Map<string, number[]>();
  for (const [at, message] of [...known.entries()].toReversed()) {
    if (!message.id.startsWith(`${runId}-in-`)) continue;
    const text = said(message);
    const same = places.get(text);
    if (same) same.push(at);
    else places.set(text, [at]);
  }
  const added: Message[] = [];
  for (const message of toMessages(messages, `${runId}-out`)) {
    const at = ids.has(message.id) ? undefined : places.get(said(message))?.pop();
    if (at === undefined) added.push(message);
    else {
      known[at] = message;
      ids.add(message.id);
    }
  }
  return { ...values, ...fields, messages: mergeMessages(known, added) };
}

const said = ({ type, content }: Message): string => JSON.stringify([type, content]);

/** Adds the state that an agent saved, if it is a JSON object. */
export function addState(values: Values, snapshot: string | null): Values {
  const state = parseState(snapshot);
  return state === null ? values : addValues(values, state, "state");
}

/** Returns a saved state that is a JSON object. Null: it is another text. */
export function parseState(snapshot: string | null): Record<string, unknown> | null {
  if (snapshot === null || !snapshot.startsWith("{") || deeperThan(snapshot, requestLimits.json_depth)) return null;
  try {
    const state: unknown = JSON.parse(snapshot);
    return typeof state === "object" && state !== null && !Array.isArray(state) ? { ...state } : null;
  } catch {
    return null;
  }
}
