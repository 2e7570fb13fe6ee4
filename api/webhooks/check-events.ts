import { AppError } from "../../shared/domain/errors/app-error.ts";
import { covers, type Scope } from "../../shared/schemas/scope.ts";
import type { Caller } from "../http/caller.ts";

/**
 * A webhook tells its receiver what it is about, so who makes it needs the scope to read that. Throws forbidden when the caller's
 * key lacks one.
 */
export function checkEvents({ scopes }: Pick<Caller, "scopes">, events: readonly string[]): void {
  for (const event of events) {
    const missing = scopesOf(event).find((scope) => !covers(scopes, scope));
    if (missing !== undefined)
      throw new AppError(
        "forbidden",
        "missing_scope",
        `The key lacks the scope '${missing}', which a webhook with the event '${event}' needs. Name other events, or use a key that has the scope.`,
      );
  }
}

const readScopes: Record<string, Scope> = {
  run: "runs:read",
  daemon: "daemons:read",
  notification: "notifications:read",
};

/** Their messages have the address at which a run's question is answered. */
const withAnswerUrl = new Set(["*", "run.*", "run.interrupted", "notification.*", "notification.run.interrupted"]);

function scopesOf(event: string): Scope[] {
  const read = readScopes[event.split(".")[0] ?? ""];
  return [...(read ? [read] : Object.values(readScopes)), ...(withAnswerUrl.has(event) ? ["runs:write" as const] : [])];
}
