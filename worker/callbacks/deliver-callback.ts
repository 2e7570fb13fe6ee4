import type { Answer, GuardedFetch } from "../../shared/platform/net/guarded-fetch.ts";
import { sign } from "../../shared/platform/net/sign.ts";
import { TargetFault } from "../../shared/platform/net/target-fault.ts";
import { nextTryDelayMs } from "../../shared/domain/retry/callback-retry-delay.ts";
import type { DueMessage } from "../../shared/store/outbox/claim-due-messages.ts";
import type { Try, TryOutcome } from "../../shared/store/outbox/record-try.ts";

export const callbackTimeoutMs = 15_000;

/** `traceparent`: what the receiver's own spans have as their parent; null: nothing is traced. */
export type Delivery = {
  message: DueMessage;
  body: string;
  secrets: string[];
  signal: AbortSignal;
  traceparent: string | null;
};

/** Sends a callback once. 2xx delivers the callback, 410 gives it up, anything else is tried again while tries are left. */
export async function deliverCallback(fetch: GuardedFetch, scheduleScale: number, delivery: Delivery): Promise<Try> {
  const { message, body, secrets, signal, traceparent } = delivery;
  const signed = sign({ id: message.id, body }, message.claimed_at, secrets);
  const headers = {
    "content-type": "application/json",
    "user-agent": "runfleet-callback",
    ...signed,
    ...(traceparent !== null && { traceparent }),
  };
  const startedAt = performance.now();
  const answer = await fetch.post(message.url, { headers, body, timeoutMs: callbackTimeoutMs, signal }).catch(faultOf);
  const duration_ms = Math.round(performance.now() - startedAt);
  const retryLater = (retryAfter: number | null) => nextTry(message.tries + 1, scheduleScale, retryAfter);

  if (answer instanceof TargetFault)
    return { status_code: null, error: answer.class, duration_ms, verdict: retryLater(null) };
  const { status: status_code } = answer;
  if (status_code >= 200 && status_code < 300)
    return { status_code, error: null, duration_ms, verdict: { status: "delivered" } };
  const verdict: TryOutcome =
    status_code === 410 ? { status: "gone" } : retryLater(askedDelay(answer, message.claimed_at));
  return { status_code, error: `http_${status_code}`, duration_ms, verdict };
}

/** What comes of a message whose run, secrets or body can't be read: it waits as one that got no answer. */
export function unreadableTry({ tries }: DueMessage, scheduleScale: number): Try {
  const verdict = nextTry(tries + 1, scheduleScale, null);
  return { status_code: null, error: "unreadable", duration_ms: 0, verdict };
}

function faultOf(error: unknown): TargetFault {
  if (error instanceof TargetFault) return error;
  throw error;
}

/** Returns the seconds that a busy receiver, or its proxy, asks to wait; null when it does not ask. */
function askedDelay({ status, retryAfter }: Answer, now: Date): number | null {
  return [429, 502, 503, 504].includes(status) ? retryAfterSeconds(retryAfter, now) : null;
}

/** Reads a Retry-After header: seconds, or a date (RFC 9110 §10.2.3). Returns null for anything else. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}

function nextTry(tries: number, scale: number, retryAfter: number | null): TryOutcome {
  const delay_ms = nextTryDelayMs(tries, { scale, random: Math.random(), retryAfterSeconds: retryAfter });
  return delay_ms === null ? { status: "exhausted" } : { status: "pending", delay_ms };
}
