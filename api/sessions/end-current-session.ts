import { AppError } from "../../shared/domain/errors/app-error.ts";
import { endSession } from "../../shared/store/sessions/end-session.ts";
import type { ApiContext } from "../context.ts";
import { identify } from "../http/authorize.ts";
import { defineOperation } from "../http/define-operation.ts";
import { endedCookie } from "../http/session-cookie.ts";

export const endCurrentSession = defineOperation({
  method: "delete",
  path: "/v1/sessions/current",
  name: "end_current_session",
  area: "Sessions",
  scope: "public",
  audit: { none: "The handler records who signed out: the operation itself has no caller." },
  summary: "Sign out",
  description: "Ends the session of the request and its cookie. Without a session nothing happens.",
  errors: ["session_not_counted", "cross_site_request", "rate_limited"],
  responses: { 204: { description: "Signed out" } },
  async handle({ db, guards }: Pick<ApiContext, "db" | "guards">, { sender, ip, request_id }) {
    const caller = await identify(guards, sender.credentials, { ip }).catch((error: unknown) => {
      // Whose session is over already is signed out.
      if (error instanceof AppError && (error.code === "missing_key" || error.code === "invalid_session")) return null;
      throw error;
    });
    const id = caller?.session_id ?? null;
    if (caller && id !== null && (await endSession(db, id, null)))
      await guards.audit({
        user_id: caller.user_id,
        actor: caller.actor,
        action: "end_current_session",
        target_type: "session",
        target_id: id,
        request_id,
        ip: ip ?? null,
        detail: {},
      });
    return { status: 204, headers: { "Set-Cookie": endedCookie(sender.is_https) } };
  },
});
