import { newId } from "../../platform/ids.ts";
import { auditOwnActs } from "../append-audit.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { notifyUsers } from "../notifications/notify-users.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** What follows from a try. `exhausted`: it is a dead letter; `gone`: and its webhook wants nothing any more. */
export type TryOutcome =
  | { status: "delivered" }
  | { status: "pending"; delay_ms: number }
  | { status: "exhausted" }
  | { status: "gone" };

export type Try = {
  status_code: number | null;
  /** A class, such as `timeout`, `http_500` or `unreadable`; never the receiver's words. Null: delivered. */
  error: string | null;
  duration_ms: number;
  verdict: TryOutcome;
};

/** What was tried, and where. */
type TriedMessage = { id: string; tries: number; webhook_id: string | null; url: string };

/**
 * Logs a try and moves its message on. The owner is notified of a callback that is given up, and of a webhook that is
 * disabled: one that is `gone`, or one to which each try since `patience_ms` has failed. A try of a URL that the webhook has no
 * longer says nothing of its new one: there the message is tried, too. `stale`: another worker tried since `tries` was seen, and
 * nothing is changed.
 */
export async function recordTry(
  db: Db,
  message: TriedMessage,
  { verdict, ...tried }: Try,
  patience_ms: number,
): Promise<"stale" | "recorded" | { told: string }> {
  const gone = verdict.status === "gone";
  const outcome = await record.first(db.sql, {
    id: message.id,
    tries: message.tries,
    url: message.url,
    ...tried,
    status: gone ? "exhausted" : verdict.status,
    delay_ms: verdict.status === "pending" ? verdict.delay_ms : 0,
    gone,
    patience_ms,
    disabled_reason: gone ? "its receiver answered 410 Gone" : "nothing got through to it since %s",
    news_id: newId("notif"),
    callback_title: "A callback of %s was given up",
    callback_body: tried.error && `The last try: ${tried.error}`,
    webhook_title: "A webhook was disabled",
    audit_id: newId("audit"),
  });
  if (!outcome) return "stale";
  if (outcome.disabled && message.webhook_id !== null) await giveUpPending(db, message.webhook_id);
  return outcome.told === null ? "recorded" : { told: outcome.told };
}

/** What was still to be sent to a webhook that is disabled; each can be redelivered. One that is enabled again by then gets it. */
async function giveUpPending(db: Db, webhook_id: string): Promise<void> {
  const limit = 500;
  for (let after: string | null = null; ;) {
    const given: { id: string }[] = await giveUp.rows(db.sql, { webhook_id, after, limit });
    after = given.at(-1)?.id ?? null;
    if (given.length < limit) return;
  }
}

/** `after`: the last message of the batch before. Those before it are not read again. */
const giveUp = statement({
  name: "give-up-pending-messages",
  takes: { webhook_id: t.text, after: orNull(t.text), limit: t.integer },
  gives: { id: t.text },
  text: sql`
    WITH pending AS (
      SELECT id, created_at FROM outbox WHERE webhook_id = $webhook_id AND status = 'pending'
        AND EXISTS (SELECT 1 FROM webhooks WHERE id = $webhook_id AND status = 'disabled')
        AND created_at >= coalesce((SELECT created_at FROM outbox WHERE id = $after), '-infinity')
      ORDER BY created_at, id LIMIT $limit FOR UPDATE
    ), given_up AS (
      UPDATE outbox SET status = 'exhausted', last_error = 'webhook_disabled' FROM pending WHERE outbox.id = pending.id
    )
    SELECT id FROM pending ORDER BY created_at, id`,
});

const record = statement({
  name: "record-try",
  takes: {
    id: t.text,
    tries: t.integer,
    /** That was tried. */
    url: t.text,
    status: t.enumeration<"delivered" | "pending" | "exhausted">("outbox_status"),
    error: orNull(t.text),
    delay_ms: t.double,
    status_code: orNull(t.integer),
    duration_ms: t.integer,
    gone: t.boolean,
    patience_ms: t.double,
    /** `%s` stands for the time since when each try has failed. */
    disabled_reason: t.text,
    news_id: t.text,
    /** `%s` stands for the run. */
    callback_title: t.text,
    callback_body: orNull(t.text),
    webhook_title: t.text,
    audit_id: t.text,
  },
  gives: { disabled: t.boolean, told: orNull(t.text) },
  text: sql`
    WITH tried AS (
      UPDATE outbox SET tries = tries + 1, last_error = $error, lease_until = NULL,
        status = CASE WHEN $status = 'exhausted' AND EXISTS (
          SELECT 1 FROM webhooks w WHERE w.id = outbox.webhook_id AND w.url <> $url) THEN 'pending' ELSE $status END,
        next_attempt_at = now() + $delay_ms * interval '1 ms',
        delivered_at = CASE WHEN $status = 'delivered' THEN now() END
      WHERE id = $id AND tries = $tries AND status = 'pending'
      RETURNING *
    ), logged AS (
      INSERT INTO outbox_tries (outbox_id, try, status_code, error, duration_ms)
      SELECT id, tries, $status_code, $error, $duration_ms FROM tried
    ), hook AS (
      SELECT w.id, w.status AS previous,
        CASE WHEN $status <> 'delivered' THEN coalesce(w.failing_since, now()) END AS failing_since
      FROM tried JOIN webhooks w ON w.id = tried.webhook_id
      WHERE w.url = $url AND CASE $status WHEN 'delivered' THEN w.failing_since IS NOT NULL OR w.failures > 0
        WHEN 'pending' THEN w.failing_since IS NULL ELSE true END
      -- As it stands after the tries that are being recorded, and not as it was when this statement began.
      FOR NO KEY UPDATE OF w
    ), judged AS (
      UPDATE webhooks SET updated_at = now(), failing_since = hook.failing_since,
        failures = CASE $status WHEN 'delivered' THEN 0 WHEN 'exhausted' THEN failures + 1 ELSE failures END,
        status = CASE WHEN hook.over AND webhooks.status = 'active' THEN 'disabled' ELSE webhooks.status END,
        disabled_reason = CASE WHEN hook.over AND webhooks.status = 'active' THEN hook.reason ELSE disabled_reason END
      FROM (
        SELECT id, previous, failing_since,
          $status = 'exhausted' AND ($gone OR failing_since < now() - $patience_ms * interval '1 ms') AS over,
          format($disabled_reason, to_char(failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')) AS reason
        FROM hook
      ) AS hook WHERE webhooks.id = hook.id
      RETURNING webhooks.id, webhooks.url, webhooks.disabled_reason,
        webhooks.status = 'disabled' AND hook.previous = 'active' AS disabled
    ), news AS (
      SELECT $news_id AS id, user_id, 'callback.exhausted' AS type, 'warning' AS level,
        format($callback_title, run_id) AS title, $callback_body AS body,
        json_build_object('delivery_id', id, 'tries', tries, 'last_error', $error) AS data,
        NULL::text AS agent_id, run_id, 'callback:' || id AS dedup_key
      FROM tried WHERE status = 'exhausted' AND webhook_id IS NULL
      UNION ALL
      SELECT $news_id, tried.user_id, 'webhook.disabled', 'warning', $webhook_title, disabled_reason,
        json_build_object('webhook_id', judged.id, 'delivery_id', tried.id, 'last_error', $error), NULL, NULL, NULL
      FROM judged JOIN tried ON true WHERE disabled
    ), ${notifyUsers}, audited AS (
      ${auditOwnActs(sql`
        SELECT $audit_id AS id, tried.user_id, 'disable_webhook' AS action, 'webhook' AS target_type,
          judged.id AS target_id, json_build_object('reason', disabled_reason) AS detail
        FROM judged JOIN tried ON true WHERE disabled`)}
    )
    SELECT coalesce((SELECT disabled FROM judged), false) AS disabled, (SELECT user_id FROM told) AS told FROM tried`,
});
