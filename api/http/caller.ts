import type { Principal } from "../../shared/schemas/session.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";

/** Who sends a request. */
export type Caller = {
  /** The user whose things the caller sees. Null: all users' (AUTH_MODE=open, and keys of the scope `admin`). */
  owner: string | null;
  /** The caller's user id. It owns what is created without naming an owner. */
  user_id: string;
  /** The name in the audit log: a key's id, also of a session that the key began, `open`, `bootstrap` or `internal`. */
  actor: string;
  /** Whom a session of the caller stands for. Null: nobody can sign in as this caller. */
  principal: Principal | null;
  /** The session whose cookie the request has. Null: it has a key, or nobody is signed in. */
  session_id: string | null;
  scopes: readonly string[];
  /** When the key of the request expires, or that which began the session. Null: never. */
  key_expires_at: Date | null;
  /** The one run that a run's read token may read. Null: not restricted to a run. */
  run_id: string | null;
  /** Requests a minute that are the caller's own: by the user's plan, and of the key. Null: no such limit. */
  per_minute: { user: number | null; key: number | null };
};

/** Returns the owner of a new thing. Throws forbidden when the caller may not act for the user `named`. */
export function ownerOf(caller: Caller, named: string | null | undefined): string {
  if (named == null) return caller.user_id;
  if (caller.owner !== null && named !== caller.owner)
    throw new AppError(
      "forbidden",
      "foreign_user_id",
      `This key belongs to '${caller.owner}' and can't act for the user_id '${named}'.`,
    );
  return named;
}
