import { spokenResult } from "../../stream/projections/speech.ts";
import { aiMessage, type Message, toMessages } from "./messages.ts";

/** What LangGraph calls the state of a graph: the fields of inputs and results, the later ones over the earlier ones. */
export type Values = Record<string, unknown> & { messages?: Message[] };

/** Values to which a thread's turns are added in place: a copy of all messages for each turn would cost the square of their number. */
export type GrowingValues = {
  /** Adds fields. `messages` are added to those that are there. `place` names where messages without an id come from. */
  add(added: object, place: string): void;
  /** Adds a run's result. `said`: its messages, for a result that has none itself. */
  addResult(runId: string, result: unknown, said?: readonly Message[]): void;
  /** Returns the values so far. What is added later doesn't change them. */
  copy(): Values;
};

/** Returns values that begin as the given ones. */
export function growValues(begun: Values = {}): GrowingValues {
  /** `messages` has its place here, and its value below. */
  const fields = new Map<string, unknown>(Object.entries(begun));
  const messages: Message[] = [];
  /** The places of messages, by their id. */
  const places = new Map<string, number>();

  function put(message: Message): void {
    const at = places.get(message.id) ?? messages.length;
    messages[at] = message;
    places.set(message.id, at);
  }
  function addFields(added: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(added)) fields.set(name, value);
  }
  function add(added: object, place: string): void {
    const { messages: some, ...others } = added as Record<string, unknown>;
    addFields(others);
    if (some === undefined) return;
    fields.set("messages", null);
    for (const message of toMessages(some, place)) put(message);
  }
  /**
   * Adds the result of an agent that keeps messages itself. It gave ids of its own to the messages of its input, so each of them
   * takes the place of the input's message with the same text.
   */
  function addGraphResult(runId: string, { messages: some, ...others }: Record<string, unknown>): void {
    addFields(others);
    fields.set("messages", null);
    /** The places of the input's messages, by what they say; the first one last. */
    const inputs = new Map<string, number[]>();
    for (const [at, message] of [...messages.entries()].toReversed()) {
      if (!message.id.startsWith(`${runId}-in-`)) continue;
      const text = said(message);
      const same = inputs.get(text);
      if (same) same.push(at);
      else inputs.set(text, [at]);
    }
    const added: Message[] = [];
    for (const message of toMessages(some, `${runId}-out`)) {
      const at = places.has(message.id) ? undefined : inputs.get(said(message))?.pop();
      const old = at === undefined ? undefined : messages[at];
      if (at === undefined || !old) added.push(message);
      else {
        messages[at] = message;
        places.delete(old.id);
        places.set(message.id, at);
      }
    }
    for (const message of added) put(message);
  }

  for (const message of begun.messages ?? []) put(message);
  return {
    add,
    addResult(runId, result, spoken = []) {
      const given = typeof result === "object" && result !== null ? (result as Record<string, unknown>) : {};
      if ("messages" in given) return addGraphResult(runId, given);
      const text = spoken.length > 0 ? null : spokenResult(result);
      const more = text === null || text === "" ? spoken : [aiMessage(`${runId}-out`, text)];
      add(more.length > 0 ? { ...given, messages: more } : given, runId);
    },
    copy: () => ({ ...Object.fromEntries(fields), ...(fields.has("messages") ? { messages: [...messages] } : {}) }),
  };
}

const said = ({ type, content }: Message): string => JSON.stringify([type, content]);
