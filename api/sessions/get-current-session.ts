import { AppError } from "../../shared/domain/errors/app-error.ts";
import { type CurrentSession, currentSession } from "../../shared/schemas/session.ts";
import { readSession } from "../../shared/store/sessions/read-session.ts";
import type { ApiContext } from "../context.ts";
import { identify } from "../http/authorize.ts";
import { defineOperation } from "../http/define-operation.ts";
import { showSession } from "./show-session.ts";

export const getCurrentSession = defineOperation({
  method: "get",
  path: "/v1/sessions/current",
  name: "get_current_session",
  area: "Sessions",
  scope: "public",
  summary: "Who is signed in",
  description:
    "Says how the service knows its callers, and who this one is and may do. Without a valid session or key, `user_id` is null.",
  errors: ["rate_limited"],
  responses: { 200: { description: "The session of the request", schema: currentSession } },
  async handle({ config, db, guards }: Pick<ApiContext, "config" | "db" | "guards">, { sender, ip }) {
    if (config.auth.mode === "open") {
      const { user_id, scopes } = await guards.authenticate(sender.credentials);
      const open: CurrentSession = { ...nobody, auth_mode: "open", user_id, scopes: [...scopes] };
      return { status: 200, body: { ...open, admin: scopes.includes("admin") } };
    }
    try {
      const caller = await identify(guards, sender.credentials, { ip });
      const session = caller.session_id === null ? null : await readSession(db, caller.session_id);
      return { status: 200, body: showSession({ ...caller, expires_at: session?.expires_at ?? null }) };
    } catch (error) {
      if (error instanceof AppError && error.kind === "unauthorized") return { status: 200, body: nobody };
      throw error;
    }
  },
});

const nobody: CurrentSession = {
  object: "session",
  id: null,
  auth_mode: "key",
  user_id: null,
  principal: null,
  scopes: [],
  admin: false,
  expires_at: null,
};
