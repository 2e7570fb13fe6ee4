import { preferencesRecord } from "../../shared/schemas/notification.ts";
import { me } from "../../shared/schemas/user.ts";
import { readPreferences } from "../../shared/store/notifications/preferences.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getPreferences = defineOperation({
  method: "get",
  path: "/v1/notifications/preferences",
  name: "get_notification_preferences",
  area: "Notifications",
  scope: "notifications:read",
  summary: "A user's notification preferences",
  description:
    "A type without an entry is treated as `*`. Without an entry `*` it is delivered in the app and to webhooks.",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The preferences", schema: preferencesRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    return { status: 200, body: await readPreferences(db, ownerOf(caller, query.user_id)) };
  },
});
