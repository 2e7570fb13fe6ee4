import { preferencesBody, preferencesRecord } from "../../shared/schemas/notification.ts";
import { me } from "../../shared/schemas/user.ts";
import { putPreferences as replace } from "../../shared/store/notifications/preferences.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putPreferences = defineOperation({
  method: "put",
  path: "/v1/notifications/preferences",
  name: "put_notification_preferences",
  area: "Notifications",
  scope: "notifications:write",
  audit: "user",
  summary: "Set a user's notification preferences",
  description: "Replaces all preferences. They apply to later notifications.",
  request: { query: me, body: preferencesBody },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The preferences", schema: preferencesRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { query, body: { preferences }, caller }) {
    return { status: 200, body: await replace(db, { user_id: ownerOf(caller, query.user_id), preferences }) };
  },
});
