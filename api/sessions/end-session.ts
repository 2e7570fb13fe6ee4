import { notFound } from "../../shared/domain/errors/app-error.ts";
import { sessionParams } from "../../shared/schemas/session.ts";
import { endSession as end } from "../../shared/store/sessions/end-session.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const endSession = defineOperation({
  method: "delete",
  path: "/v1/users/me/sessions/{session_id}",
  name: "end_session",
  area: "Sessions",
  scope: "users:write",
  audit: "session",
  summary: "End a session",
  description: "Signs a browser out, such as one that was lost. The key that it signed in with stays valid.",
  request: { params: sessionParams },
  responses: { 204: { description: "Ended" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { session_id }, caller }) {
    if (!(await end(db, session_id, caller.owner))) throw notFound("session", session_id);
    return { status: 204 };
  },
});
