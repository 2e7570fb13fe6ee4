import { AppError } from "../../shared/domain/errors/app-error.ts";

/** Who asks. */
export type Caller = {
  /** Whose things the caller sees; null: everybody's (AUTH_MODE=open, and keys of the scope `admin`). */
  owner: string | null;
  /** Who the caller is; owns what is made without naming an owner. */
  user_id: string;
  /** As the audit log names it: a key's id, `open`, `bootstrap`, `internal`. */
  actor: string;
  scopes: readonly string[];
  /** Not null: the caller may read this run and nothing else. */
  run_id: string | null;
};

/** Whom a new thing belongs to. Throws forbidden where `named` is somebody for whom the caller may not act. */
export function ownerOf(caller: Caller, named: string | null | undefined): string {
  if (named == null) return caller.user_id;
  if (caller.owner !== null && named !== caller.owner)
    throw new AppError("forbidden", "foreign_user_id", `This key acts for '${caller.owner}', not for '${named}'.`);
  return named;
}
