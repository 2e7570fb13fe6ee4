import { conflict } from "../../shared/domain/errors/app-error.ts";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { sessionCode } from "../../shared/schemas/session.ts";
import { insertCode } from "../../shared/store/sessions/begin-session.ts";
import { ensureUser } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { signInOf } from "./sign-in-of.ts";

export const createSessionCode = defineOperation({
  method: "post",
  path: "/v1/sessions/codes",
  name: "create_session_code",
  area: "Sessions",
  scope: "users:write",
  audit: "session_code",
  summary: "Make a code that signs one browser in",
  description:
    "For programs that open a page of this service for their user. The code works once, for a minute, and gives a session what the key of this request may do.",
  errors: ["no_sign_in", "sign_in_not_needed", "too_many_codes", "user_not_found"],
  responses: { 201: { description: "The code", schema: sessionCode } },
  async handle({ config, db }: Pick<ApiContext, "config" | "db">, { caller }) {
    if (config.auth.mode === "open")
      throw conflict("sign_in_not_needed", "The service runs with AUTH_MODE=open: nobody signs in.");
    const signIn = signInOf(caller);
    await ensureUser(db, signIn.user_id);
    const { id, text: code, secret_hash } = newCredential("code");
    const expires_at = await insertCode(db, { id, secret_hash }, signIn);
    if (!expires_at)
      throw conflict("too_many_codes", "You have 100 sign-in codes that nobody has used. Wait a minute.");
    return { status: 201, body: { code, expires_at: expires_at.toISOString() } };
  },
});
