import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { tellUsers } from "../notifications/tell-users.ts";

/** What follows from a try. `exhausted`: it is a dead letter; `gone`: and its webhook wants nothing any more. */
export type Verdict =
  | { status: "delivered" }
  | { status: "pending"; delay_ms: number }
  | { status: "exhausted" }
  | { status: "gone" };

export type Try = {
  status_code: number | null;
  /** A class, such as `timeout` or `http_500`; never the receiver's words. Null: delivered. */
  error: string | null;
  duration_ms: number;
  verdict: Verdict;
};

/** What was tried. */
type Tried = { id: string; tries: number; webhook_id: string | null };

/**
 * Logs a try and moves its message on. A callback that is given up is told to its owner. So is a webhook that is disabled
 * by it: one that is `gone`, or to which nothing got through for `patience_ms`. `stale`: someone else tried since `tries`
 * was seen, and nothing is changed.
 */
export async function recordTry(
  db: Db,
  message: Tried,
  tried: Try,
  patience_ms: number,
): Promise<"stale" | "recorded" | { told: string }> {
  const { status_code, error, duration_ms, verdict } = tried;
  const delay_ms = verdict.status === "pending" ? verdict.delay_ms : 0;
  const status = verdict.status === "gone" ? "exhausted" : verdict.status;
  const values = [message.id, message.tries, status, error, delay_ms, status_code, duration_ms];
  const more = [verdict.status === "gone", patience_ms, newId("notif")];
  const { rows } = await db.sql.query<Outcome>({ ...statement, values: [...values, ...more] });
  const [outcome] = rows;
  if (!outcome) return "stale";
  if (outcome.disabled && message.webhook_id !== null) await giveUpPending(db, message.webhook_id);
  return outcome.told === null ? "recorded" : { told: outcome.told };
}

type Outcome = { disabled: boolean; told: string | null };

/** What was still to be sent to a webhook that is disabled; each can be redelivered. */
async function giveUpPending(db: Db, webhook_id: string): Promise<void> {
  await db.prisma.outboxMessage.updateMany({
    where: { webhook_id, status: "pending" },
    data: { status: "exhausted", last_error: "webhook_disabled" },
  });
}

const statement = {
  name: "record-try",
  text: `
    WITH tried AS (
      UPDATE outbox SET tries = tries + 1, status = $3::outbox_status, last_error = $4, lease_until = NULL,
        next_attempt_at = now() + $5 * interval '1 ms',
        delivered_at = CASE WHEN $3::outbox_status = 'delivered' THEN now() END
      WHERE id = $1 AND tries = $2 AND status = 'pending'
      RETURNING *
    ), logged AS (
      INSERT INTO outbox_tries (outbox_id, try, status_code, error, duration_ms) SELECT id, tries, $6, $4, $7 FROM tried
    ), hook AS (
      -- The oldest of the deliveries that were given up since one got through.
      SELECT w.id, w.status AS previous, least(tried.created_at, (
        SELECT created_at FROM outbox o WHERE o.webhook_id = w.id AND o.status = 'exhausted' AND w.failures > 0
        ORDER BY created_at DESC OFFSET greatest(w.failures - 1, 0) LIMIT 1)) AS failing_since
      FROM tried JOIN webhooks w ON w.id = tried.webhook_id
      WHERE $3 = 'exhausted' OR ($3 = 'delivered' AND w.failures > 0)
    ), judged AS (
      UPDATE webhooks SET failures = CASE WHEN $3 = 'delivered' THEN 0 ELSE failures + 1 END, updated_at = now(),
        status = CASE WHEN hook.over AND webhooks.status = 'active' THEN 'disabled' ELSE webhooks.status END,
        disabled_reason = CASE WHEN hook.over AND webhooks.status = 'active' THEN hook.reason ELSE disabled_reason END
      FROM (
        SELECT id, previous, $3 = 'exhausted' AND ($8 OR failing_since < now() - $9 * interval '1 ms') AS over,
          CASE WHEN $8 THEN 'its receiver answered 410 Gone'
            ELSE 'nothing got through to it since ' || to_char(failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') END AS reason
        FROM hook
      ) AS hook WHERE webhooks.id = hook.id
      RETURNING webhooks.id, webhooks.url, webhooks.disabled_reason,
        webhooks.status = 'disabled' AND hook.previous = 'active' AS disabled
    ), news AS (
      SELECT $10::text AS id, user_id, 'callback.exhausted' AS type, 'warning' AS level,
        'A callback of ' || run_id || ' was given up' AS title, 'The last try: ' || $4 AS body,
        json_build_object('delivery_id', id, 'tries', tries, 'last_error', $4::text) AS data,
        NULL::text AS agent_id, run_id, 'callback:' || id AS dedup_key
      FROM tried WHERE status = 'exhausted' AND webhook_id IS NULL
      UNION ALL
      SELECT $10::text, tried.user_id, 'webhook.disabled', 'warning', 'A webhook was disabled', disabled_reason,
        json_build_object('webhook_id', judged.id, 'delivery_id', tried.id, 'last_error', $4::text), NULL, NULL, NULL
      FROM judged JOIN tried ON true WHERE disabled
    ), ${tellUsers}
    SELECT coalesce((SELECT disabled FROM judged), false) AS disabled, (SELECT user_id FROM told) AS told FROM tried`,
};
