import { covers } from "../../shared/schemas/scope.ts";
import type { Caller } from "./caller.ts";

/**
 * Returns a notification, or a message to a webhook, as a caller may see it: without the addresses for answers unless the
 * caller may resume runs. A message has interrupts itself, or is of a notification, whose `data` have them.
 */
export function hideAnswerUrls<T extends object>({ scopes }: Pick<Caller, "scopes">, told: T): T {
  return covers(scopes, "runs:write") ? told : hide(told);
}

function hide<T extends object>(told: T): T {
  const { interrupts, data } = told as { interrupts?: unknown; data?: unknown };
  return {
    ...told,
    ...(Array.isArray(interrupts) && { interrupts: interrupts.map(withoutAddress) }),
    ...(isObject(data) && { data: hide(data) }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withoutAddress(interrupt: unknown): unknown {
  if (!isObject(interrupt)) return interrupt;
  const { answer_url: _answerUrl, ...question } = interrupt;
  return question;
}
