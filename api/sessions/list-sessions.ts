import { pageOf } from "../../shared/schemas/primitives.ts";
import { sessionListQuery, sessionRecord } from "../../shared/schemas/session.ts";
import { listSessions as readPage } from "../../shared/store/sessions/list-sessions.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listSessions = defineOperation({
  method: "get",
  path: "/v1/users/me/sessions",
  name: "list_sessions",
  area: "Sessions",
  scope: "users:read",
  summary: "Where you are signed in",
  description: "The browsers whose sessions have not ended, with their address and when they were last used.",
  request: { query: sessionListQuery },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "A page of sessions", schema: pageOf(sessionRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { user_id, ...request }, caller }) {
    const page = await readPage(db, ownerOf(caller, user_id), request);
    const data = page.data.map((session) => ({ ...session, is_current: session.id === caller.session_id }));
    return { status: 200, body: { ...page, data } };
  },
});
