import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { listChoices } from "../../../shared/schemas/primitives.ts";

export const streamModes = ["values", "updates", "messages", "messages-tuple", "custom", "events", "tasks"] as const;
export type StreamMode = (typeof streamModes)[number];

/** What a reader gets who joins a run without saying how it was started: what `useStream` shows. */
export const joinModes: readonly StreamMode[] = ["values", "updates", "messages-tuple", "custom"];

/**
 * Returns the modes of a request: a word, a list of words, or such a list as JSON text, as the client's query parameters have it.
 * Throws ValidationFault for others, such as `checkpoints`: an agent here has no steps that are stored.
 */
export function readModes(given: unknown, loc: string[], otherwise: readonly StreamMode[]): ReadonlySet<StreamMode> {
  const list = typeof given === "string" && given.startsWith("[") ? parseList(given) : given;
  const words: unknown[] = Array.isArray(list) ? list : [list];
  if (list == null || list === "" || words.length === 0) return new Set(otherwise);
  return new Set(words.map((word) => streamModes.find((mode) => mode === word) ?? refuseMode(loc)));
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refuseMode(loc: string[]): never {
  const expected = listChoices(streamModes);
  throw new ValidationFault([{ type: "enum", loc, msg: `Input should be ${expected}`, ctx: { expected } }]);
}
