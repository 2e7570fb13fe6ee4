import { AppError, conflict } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { newCredential, parseCredential } from "../../shared/platform/secrets/credential.ts";
import { currentSession, signInBody } from "../../shared/schemas/session.ts";
import { beginSession, type SignIn, takeCode } from "../../shared/store/sessions/begin-session.ts";
import { readSession } from "../../shared/store/sessions/read-session.ts";
import { ensureUser } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { identify } from "../http/authorize.ts";
import { defineOperation } from "../http/define-operation.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { showSession } from "./show-session.ts";
import { signInOf } from "./sign-in-of.ts";

type Deps = Pick<ApiContext, "config" | "db" | "guards">;
type From = { ip: string | undefined };

export const createSession = defineOperation({
  method: "post",
  path: "/v1/sessions",
  name: "create_session",
  area: "Sessions",
  scope: "public",
  audit: { none: "The handler records who signed in: the operation itself has no caller." },
  summary: "Sign a browser in",
  description:
    "For web pages that this service serves. The answer sets a cookie that scripts can't read, and which stands for the key until it is revoked, 12 hours pass without a request, or 7 days are over. Programs send the key itself.",
  request: { body: signInBody },
  errors: [
    "invalid_key",
    "invalid_code",
    "no_sign_in",
    "sign_in_not_needed",
    "cross_site_request",
    "rate_limited",
    "user_not_found",
  ],
  responses: { 201: { description: "Signed in", schema: currentSession } },
  async handle(ctx: Deps, { body, ip, sender, request_id }) {
    const { config, db, guards } = ctx;
    if (config.auth.mode === "open")
      throw conflict("sign_in_not_needed", "The service runs with AUTH_MODE=open: nobody signs in.");
    // Another page could else sign its visitor in as somebody else.
    if (sender.is_foreign)
      throw new AppError("forbidden", "cross_site_request", "Only a page of this service's own origin can sign in.");
    const signIn = await readSignIn(ctx, body, { ip });
    const { id, text, secret_hash } = newCredential("session");
    await ensureUser(db, signIn.user_id);
    await beginSession(db, { id, secret_hash }, signIn, { ip: ip ?? null, user_agent: sender.user_agent });
    const session = await readSession(db, id);
    // The key was revoked meanwhile.
    if (!session) throw new AppError("unauthorized", "invalid_key", "The key is unknown, revoked or expired.");
    const { principal, user_id } = signIn;
    await guards.audit({
      user_id,
      actor: principal.kind === "bootstrap" ? "bootstrap" : principal.id,
      action: "create_session",
      target_type: "session",
      target_id: id,
      request_id,
      ip: ip ?? null,
      detail: {},
    });
    const headers = { "Set-Cookie": sessionCookie(text, sender.is_https) };
    return { status: 201, headers, body: showSession({ ...signIn, session_id: id, expires_at: session.expires_at }) };
  },
});

async function readSignIn(
  ctx: Deps,
  { key, code }: { key?: string | null | undefined; code?: string | null | undefined },
  from: From,
): Promise<SignIn> {
  if (key != null && code == null) {
    const credentials = { authorization: `Bearer ${key}`, apiKey: undefined, token: undefined };
    return signInOf(await identify(ctx.guards, { ...credentials, session: { kind: "none" } }, from));
  }
  if (code != null && key == null) return byCode(ctx, code, from);
  throw new ValidationFault([
    { type: "value_error", loc: ["body"], msg: "Value error, needs either a key or a code, and not both" },
  ]);
}

async function byCode({ db, guards }: Deps, text: string, { ip }: From): Promise<SignIn> {
  const given = parseCredential("code", text);
  const taken = given && (await takeCode(db, given));
  if (taken) return taken;
  // Guesses are limited by address, as those of keys are.
  await guards.limiter.count(`ip:${ip}`);
  throw new AppError(
    "unauthorized",
    "invalid_code",
    "The sign-in code is unknown, was used or is older than a minute. Ask for a new one.",
  );
}
