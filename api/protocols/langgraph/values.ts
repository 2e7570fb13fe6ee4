import { growValues, type Values } from "./grow-values.ts";
import { mergeMessages, type Message, toMessages } from "./messages.ts";
import { parseState } from "./saved-state.ts";

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

/** Returns the values with more fields, see GrowingValues. */
export function addValues(values: Values, added: object, place: string): Values {
  const growing = growValues(values);
  growing.add(added, place);
  return growing.copy();
}

/** Returns the values with a run's result, see GrowingValues. */
export function addResult(values: Values, runId: string, result: unknown, said: readonly Message[] = []): Values {
  const growing = growValues(values);
  growing.addResult(runId, result, said);
  return growing.copy();
}

/** Adds the state that an agent saved, if it is a JSON object. */
export function addState(values: Values, snapshot: string | null): Values {
  const state = parseState(snapshot);
  return state === null ? values : addValues(values, state, "state");
}
