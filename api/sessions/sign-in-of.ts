import { AppError } from "../../shared/domain/errors/app-error.ts";
import type { SignIn } from "../../shared/store/sessions/begin-session.ts";
import type { Caller } from "../http/caller.ts";

/** Returns what a session of the caller stands for. Throws forbidden when nobody can sign in as the caller. */
export function signInOf({ principal, user_id, scopes }: Caller): SignIn {
  if (principal === null)
    throw new AppError("forbidden", "no_sign_in", "This key signs nobody in. Use an API key of a user.");
  return { principal, user_id, scopes };
}
