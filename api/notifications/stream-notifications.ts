import { z } from "zod";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { type NotificationEvent, notificationEvent, notificationRecord } from "../../shared/schemas/notification.ts";
import { me } from "../../shared/schemas/user.ts";
import {
  type NotificationCursor,
  readFrom,
  readPresent,
  type Told,
} from "../../shared/store/notifications/follow-notifications.ts";
import type { ApiContext } from "../context.ts";
import { type Caller, ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { afterQuery, lastEventIdHeader, readLastEventId } from "../stream/last-event-id.ts";
import { awayOf } from "../stream/resume-elsewhere.ts";
import { encodeMessage, writeSse } from "../stream/write-sse.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

const batch = 100;

const shown = exampleOf(notificationRecord);
const example = encodeMessage<NotificationEvent>({ event: "notification", id: `4711-${shown.id}`, data: shown });

export const streamNotifications = defineOperation({
  method: "get",
  path: "/v1/notifications/stream",
  name: "stream_notifications",
  area: "Notifications",
  scope: "notifications:read",
  summary: "Stream notifications",
  description:
    "Server-Sent Events: `event: notification` with the notification as data. Without a cursor the stream starts with the next notification. Resume with `Last-Event-ID` (or `?after=`): no notification is missed or repeated. The stream ends when the client disconnects.",
  request: {
    query: me.extend(afterQuery),
    headers: z.object(lastEventIdHeader),
  },
  errors: ["foreign_user_id", "malformed_cursor", "too_many_streams"],
  responses: {
    200: { description: "Server-Sent Events", content_type: "text/event-stream", events: notificationEvent, example },
  },
  async handle(
    ctx: Pick<ApiContext, "db" | "notificationSignal" | "stores" | "leaving">,
    { query, headers, untilGone, caller, holdOpen },
  ) {
    const user_id = ownerOf(caller, query.user_id);
    const cursor = readLastEventId({ headers, query });
    holdOpen();
    const present = await readPresent(ctx.db);
    const asked = cursor ? parsePosition(cursor) : null;
    // A later position is of another database, such as the one before a restore.
    const isOurs = asked !== null && asked.xact <= present.place.xact;
    const start = isOurs ? { place: asked, known: null } : { place: present.place, known: present.snapshot };
    const away = awayOf(ctx);
    const until = AbortSignal.any([untilGone(), away.leaving, away.cutOff]);
    return { respond: (_req, res) => writeSse(res, follow(ctx, { user_id, caller }, start, until), away) };
  },
});

async function* follow(
  { db, notificationSignal }: Pick<ApiContext, "db" | "notificationSignal">,
  { user_id, caller }: { user_id: string; caller: Caller },
  start: { place: NotificationCursor; known: string | null },
  until: AbortSignal,
): AsyncGenerator<string> {
  const { known } = start;
  let { place } = start;
  // Started before the read, so that a notification during the read wakes us, too.
  let signal = notificationSignal.wait(user_id, until);
  while (!until.aborted) {
    const read = await readFrom(db, user_id, { place, known, limit: batch });
    const last = read.at(-1);
    if (last) {
      yield read.map((told) => encode(caller, told)).join("");
      place = last.place;
      continue;
    }
    await signal;
    signal = notificationSignal.wait(user_id, until);
  }
}

/** An event's id is `<xact>-<notification id>`, with which a reader can resume even when the notification was deleted. */
const encode = (caller: Caller, { place: { xact, id }, notification }: Told): string =>
  encodeMessage<NotificationEvent>({
    event: "notification",
    id: `${xact}-${id}`,
    data: hideAnswerUrls(caller, notification),
  });

/** Throws bad_request when the text is no event id. */
function parsePosition(text: string): NotificationCursor {
  const [, xact, id] = /^(\d{1,18})-([A-Za-z0-9._:@-]{1,128})$/.exec(text) ?? [];
  if (xact === undefined || id === undefined)
    throw new AppError(
      "bad_request",
      "malformed_cursor",
      "`Last-Event-ID` or `after` is not the id of a notification event. An id has the form 4711-notif_….",
    );
  return { xact: BigInt(xact), id };
}
