/**
 * A response is a run up to its first question, or what follows one of its questions. The first has the run's id; the others
 * have the number of the answer behind it.
 */
export type ResponseId = { run_id: string; part: number };

export const formatResponseId = ({ run_id, part }: ResponseId): string => (part === 1 ? run_id : `${run_id}~${part}`);

/** Returns the id that a text is. A text that is none names no run. */
export function parseResponseId(text: string): ResponseId {
  // No run id has this character.
  const [, run_id, part] = /^([^~]+)~([2-9]|[1-9]\d{1,5})$/.exec(text) ?? [];
  return run_id === undefined ? { run_id: text, part: 1 } : { run_id, part: Number(part) };
}
