import { timingSafeEqual } from "node:crypto";
import type { Config } from "../../shared/platform/config/load-config.ts";
import type { CodeOf } from "../../shared/domain/errors/error-codes.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import type { Log } from "../../shared/platform/log.ts";
import { fingerprintOf, parseCredential, sameSecret } from "../../shared/platform/secrets/credential.ts";
import type { Principal } from "../../shared/schemas/session.ts";
import type { Db } from "../../shared/store/client.ts";
import { type LiveSession, noteSessionUse, readSession } from "../../shared/store/sessions/read-session.ts";
import { noteKeyUse, readApiKey } from "../../shared/store/users/read-api-key.ts";
import type { Caller } from "./caller.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type Credentials = {
  /** The `Authorization` header as it came. */
  authorization: string | undefined;
  /** The `X-Api-Key` header as it came. */
  apiKey: string | undefined;
  /** `?token=`, for browsers' EventSource, which can't send headers. */
  token: string | undefined;
  /** What the cookie of a session says. */
  session: SessionCookie;
};

/** `text` is the cookie's value. `uncounted`: there is one, and its request may come from another origin; the reason is told. */
export type SessionCookie = { kind: "none" } | { kind: "uncounted"; reason: string } | { kind: "counts"; text: string };

export type Authenticate = (credentials: Credentials) => Promise<Caller>;

type Deps = { db: Db; auth: Config["auth"]; log: Log };

const everybody = {
  owner: null,
  principal: null,
  session_id: null,
  key_expires_at: null,
  run_id: null,
  per_minute: { user: null, key: null },
} as const;

/** Returns a function that finds out who sends a request. It rejects with `unauthorized` for missing or wrong credentials. */
export function createAuthenticate(deps: Deps): Authenticate {
  const { mode, internalToken, bootstrapAdminKey } = deps.auth;
  const internal: Caller = { ...everybody, user_id: "internal", actor: "internal", scopes: ["internal"] };
  const operator = bootstrapAdminKey === undefined ? null : bootstrapPrincipal(bootstrapAdminKey);
  const bootstrap: Caller = {
    ...everybody,
    user_id: "admin",
    actor: "bootstrap",
    scopes: ["admin"],
    principal: operator,
  };
  // With a token for the internal operations, open mode does not include their scope.
  const openScopes = internalToken === undefined ? ["*", "admin"] : ["*"];
  const open: Caller = { ...everybody, user_id: "public", actor: "open", scopes: openScopes };
  return async ({ token, session, ...headers }) => {
    const key = keyOf(headers);
    if (key !== undefined && internalToken !== undefined && sameSecret(key, internalToken)) return internal;
    if (mode === "open") return open;
    // What a request says by itself counts before what a browser adds to it.
    if (key === undefined) return token === undefined ? bySession(deps, session, operator) : byRunToken(deps, token);
    if (bootstrapAdminKey !== undefined && sameSecret(key, bootstrapAdminKey)) return bootstrap;
    return byKey(deps, key);
  };
}

/** The id is of the key itself, so that sessions end when the key is replaced. */
const bootstrapPrincipal = (key: string): Principal => ({ kind: "bootstrap", id: fingerprintOf(key) });

async function bySession({ db, log }: Deps, cookie: SessionCookie, operator: Principal | null): Promise<Caller> {
  if (cookie.kind === "none")
    return refuse(
      "missing_key",
      "The request has no key. Send it as Authorization: Bearer <key>, or as X-Api-Key: <key>.",
    );
  if (cookie.kind === "uncounted") return refuse("session_not_counted", cookie.reason);
  const given = parseCredential("session", cookie.text);
  const session = given && (await readSession(db, given.id));
  if (!given || !session || !timingSafeEqual(given.secret_hash, session.secret_hash) || isOver(session, operator))
    return refuse("invalid_session", "The session has ended or expired. Sign in again.");
  if (session.stale_use)
    noteSessionUse(db, session.id).catch((error: unknown) =>
      log.warn({ err: errorText(error) }, "the last use of a session could not be stored"),
    );
  const { id, user_id, scopes, key_expires_at, principal_kind, principal_id } = session;
  return {
    owner: scopes.includes("admin") ? null : user_id,
    user_id,
    actor: principal_kind === "bootstrap" ? "bootstrap" : principal_id,
    principal: { kind: principal_kind, id: principal_id },
    session_id: id,
    scopes,
    key_expires_at,
    run_id: null,
    per_minute: { user: session.user_per_minute, key: session.key_per_minute },
  };
}

/** True when the operator's key that began the session is no longer the configured one. */
const isOver = ({ principal_kind, principal_id }: LiveSession, operator: Principal | null): boolean =>
  principal_kind === "bootstrap" && principal_id !== operator?.id;

/** Returns the key of a request; undefined when it has none. A bearer token counts before `X-Api-Key`. */
const keyOf = ({
  authorization = "",
  apiKey = "",
}: Pick<Credentials, "authorization" | "apiKey">): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? /^\S+$/.exec(apiKey)?.[0];

/** URLs end up in logs and histories, so only a token that reads a single run may be part of one. */
async function byRunToken(deps: Deps, token: string): Promise<Caller> {
  const caller = await byKey(deps, token);
  return caller.run_id === null
    ? refuse(
        "key_in_url",
        "An API key must not be sent as ?token=; only a run's read token may. Send the key in the header Authorization or X-Api-Key.",
      )
    : caller;
}

async function byKey({ db, log }: Deps, text: string): Promise<Caller> {
  const given = parseCredential("key", text);
  const key = given && (await readApiKey(db, given.id));
  if (!given || !key || !timingSafeEqual(given.secret_hash, key.secret_hash))
    return refuse("invalid_key", "The key is unknown, revoked or expired. Send a valid key.");
  if (key.stale_use)
    noteKeyUse(db, key.id).catch((error: unknown) =>
      log.warn({ err: errorText(error) }, "the last use of a key could not be stored"),
    );
  const { user_id, scopes, expires_at, run_id, user_per_minute: user, key_per_minute } = key;
  const owner = scopes.includes("admin") ? null : user_id;
  return {
    owner,
    user_id,
    actor: key.id,
    // A token of one run is given away, in a URL.
    principal: run_id === null ? { kind: "key", id: key.id } : null,
    session_id: null,
    scopes,
    key_expires_at: expires_at,
    run_id,
    per_minute: { user, key: key_per_minute },
  };
}

function refuse(code: CodeOf<"unauthorized">, message: string): never {
  throw new AppError("unauthorized", code, message);
}
