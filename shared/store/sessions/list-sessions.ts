import { type PrincipalKind, type SessionRecord, showPrincipal } from "../../schemas/session.ts";
import type { Db } from "../client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { idleHours } from "./live-session.ts";

type Listed = Omit<SessionRecord, "is_current">;

/** A user's sessions that have not ended or expired. */
export function listSessions(db: Db, user_id: string, page: PageRequest): Promise<Page<Listed>> {
  const listing = {
    table: "sessions",
    key: "id",
    within: [["user_id = ?", user_id]],
    filters: [["expires_at > now() AND last_used_at > now() - ? * interval '1 hour'", idleHours]],
    bytes: [],
    load: async (ids: string[]) =>
      (await db.prisma.session.findMany({ where: { id: { in: ids } }, omit: { secret_hash: true } })).map(
        ({ principal_kind, principal_id, created_at, last_used_at, expires_at, ...row }) => ({
          ...row,
          object: "session" as const,
          principal: showPrincipal({ kind: principal_kind as PrincipalKind, id: principal_id }),
          created_at: created_at.toISOString(),
          last_used_at: last_used_at.toISOString(),
          expires_at: expires_at.toISOString(),
        }),
      ),
  } as const;
  return readPage<Listed>(db, listing, page);
}
