import type { NotificationRecord } from "../../shared/schemas/notification.ts";
import { covers } from "../../shared/schemas/scope.ts";
import type { Caller } from "../http/caller.ts";

/** Returns a notification as a caller may see it: without the addresses for answers unless the caller may resume runs. */
export function shownTo({ scopes }: Caller, notification: NotificationRecord): NotificationRecord {
  const { interrupts, ...data } = notification.data;
  if (!Array.isArray(interrupts) || covers(scopes, "runs:write")) return notification;
  const shown = interrupts.map((one: unknown) => (isObject(one) ? withoutAddress(one) : one));
  return { ...notification, data: { ...data, interrupts: shown } };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function withoutAddress(interrupt: Record<string, unknown>): Record<string, unknown> {
  const { answer_url: _answerUrl, ...question } = interrupt;
  return question;
}
