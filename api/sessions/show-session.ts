import { type CurrentSession, showPrincipal } from "../../shared/schemas/session.ts";
import type { SignIn } from "../../shared/store/sessions/begin-session.ts";

type Shown = Omit<SignIn, "principal"> & {
  principal: SignIn["principal"] | null;
  session_id: string | null;
  expires_at: Date | null;
};

/** Returns how answers show a caller with AUTH_MODE=key. */
export const showSession = ({ session_id, user_id, principal, scopes, expires_at }: Shown): CurrentSession => ({
  object: "session",
  id: session_id,
  auth_mode: "key",
  user_id,
  principal: principal && showPrincipal(principal),
  scopes: [...scopes],
  admin: scopes.includes("admin"),
  expires_at: expires_at?.toISOString() ?? null,
});
