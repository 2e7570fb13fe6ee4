import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listNotifications } from "./list-notifications.ts";
import { createNotification } from "./create-notification.ts";
import { countUnread } from "./count-unread.ts";
import { markRead } from "./mark-read.ts";
import { markAllRead } from "./mark-all-read.ts";
import { streamNotifications } from "./stream-notifications.ts";
import { getPreferences } from "./get-preferences.ts";
import { putPreferences } from "./put-preferences.ts";
import { getNotification } from "./get-notification.ts";
import { updateNotification } from "./update-notification.ts";
import { deleteNotification } from "./delete-notification.ts";

export const notificationsOperations: readonly Operation<ApiContext>[] = [
  listNotifications,
  createNotification,
  countUnread,
  markRead,
  markAllRead,
  streamNotifications,
  getPreferences,
  putPreferences,
  getNotification,
  updateNotification,
  deleteNotification,
];
