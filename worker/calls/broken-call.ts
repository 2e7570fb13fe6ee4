import { isRetryableStatus } from "../../shared/domain/connection/is-retryable-status.ts";
import type { CallAsked, CallEnded, RecordedAnswer } from "../../shared/schemas/gateway.ts";

/**
 * Returns true for a call that used up a person's approval: the service may have done it. It hasn't where the call didn't leave,
 * and where the service says so.
 */
export const isSpent = ({ approval }: Pick<CallAsked, "approval">, { status, is_lost }: CallEnded): boolean =>
  approval !== null && (is_lost || (status !== null && !isRetryableStatus(status)));

/** Returns what is kept as the answer of a call that used up its approval and broke off; null for any other call. */
export const answerOfBroken = (asked: Pick<CallAsked, "approval">, end: CallEnded): RecordedAnswer | null =>
  isSpent(asked, end) && !end.is_whole ? (end.failed ?? brokenOff) : null;

const reason = "The call broke off after it had left: nobody knows whether the service has done it.";
const brokenOff: RecordedAnswer = {
  status: 502,
  headers: ["content-type", "application/json"],
  body: Buffer.from(JSON.stringify({ error: { type: "connection_failed", message: reason } })).toString("base64"),
};
