import { setMaxListeners } from "node:events";
import { disableAfterMs } from "../../shared/domain/retry/webhook-patience.ts";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import type { Log } from "../../shared/platform/log.ts";
import { createGuardedFetch, type GuardedFetch } from "../../shared/platform/net/guarded-fetch.ts";
import type { Span, Tracing } from "../../shared/platform/tracing/open-tracing.ts";
import type { Db } from "../../shared/store/client.ts";
import { claimDueMessages, type DueMessage } from "../../shared/store/outbox/claim-due-messages.ts";
import { isDependencyFault } from "../../shared/store/is-dependency-fault.ts";
import { giveBackMessage } from "../../shared/store/outbox/give-back-message.ts";
import { recordTry, type Try } from "../../shared/store/outbox/record-try.ts";
import { readSigningSecrets } from "../../shared/store/users/signing-secrets.ts";
import { readWebhookSecrets } from "../../shared/store/webhooks/webhook-secrets.ts";
import { buildPayload } from "./build-payload.ts";
import { callbackTimeoutMs, deliverCallback, unreadableTry } from "./deliver-callback.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** Waiting sockets cost little. The more there are, the more slow hosts it takes to occupy all of them. */
const atOnce = 256;
/** Of the bodies that messages have of their own. */
const bytesAtOnce = 32 * 1024 * 1024;
const atOncePerHost = 8;
const atOncePerUser = 128;
/** A receiver that is forgotten has more than one message at a time again. */
const mostSlow = 1_000;
const pollMs = 1_000;
/** Long enough for a try, and for the reads and the write around it. */
const leaseMs = callbackTimeoutMs + 15_000;

export type OutboxDeps = {
  db: Db;
  keyRing: KeyRing;
  log: Log;
  allowCidrs: string[];
  scheduleScale: number;
  /** Returns a run's public record; null when there is no such run. */
  readRun: (run_id: string) => Promise<Record<string, unknown> | null>;
  /** Called with the user for whom a notification was created. */
  onNotified: (user_id: string) => void;
  /** Null without tracing. */
  tracing: Tracing | null;
  /** Called with what came of a try. */
  onTried: (tried: { kind: "callback" | "webhook"; outcome: "delivered" | "retry" | "exhausted" | "gone" }) => void;
};

export type OutboxDrain = {
  /** Looks for due messages at once. To be called when a message may be due. */
  wake(): void;
  /** Aborts the tries under way and gives their messages back, so that another worker sends them. */
  close(): Promise<void>;
};

/**
 * Sends due messages of the outbox (callbacks and webhooks), whichever worker's runs they are of, until it is closed. A
 * message that could not be tried since Postgres was away is claimed again after its lease.
 */
export function startOutboxDrain(deps: OutboxDeps): OutboxDrain {
  const { db, log } = deps;
  const fetch = createGuardedFetch(deps.allowCidrs);
  const stop = new AbortController();
  // Each message under way adds one listener.
  setMaxListeners(atOnce + 1, stop.signal);
  const sending = new Set<Promise<void>>();
  let bytesSending = 0;
  /** Whose last try from this worker timed out, the latest last. They get one message at a time until one is answered. */
  const slow = new Map<string, Pick<DueMessage, "host" | "user_id">>();
  let claiming: Promise<void> | null = null;
  let wokenMeanwhile = false;

  async function claim(): Promise<void> {
    do {
      wokenMeanwhile = false;
      const messages = atOnce - sending.size;
      const bytes = bytesAtOnce - bytesSending;
      if (messages <= 0 || bytes <= 0) return;
      const shares = { per_host: atOncePerHost, per_user: atOncePerUser, slow: [...slow.values()] };
      const due = await claimDueMessages(db, { messages, bytes, ...shares, lease_ms: leaseMs });
      for (const message of due) start(message);
    } while (wokenMeanwhile && !stop.signal.aborted);
  }

  function start(message: DueMessage): void {
    const { host, user_id } = message;
    const noteSpeed = ({ error }: Try): void => {
      const receiver = `${user_id} ${host}`;
      slow.delete(receiver);
      if (error !== "timeout") return;
      slow.set(receiver, { host, user_id });
      const [longest] = slow.keys();
      if (slow.size > mostSlow && longest !== undefined) slow.delete(longest);
    };
    const bytes = Buffer.byteLength(message.payload ?? "");
    bytesSending += bytes;
    const sent = send({ ...deps, fetch, signal: stop.signal, noteSpeed }, message)
      .then(
        () => true,
        (error: unknown) => {
          log.warn(
            { message_id: message.id, err: errorText(error) },
            "a message of the outbox could not be tried; another try follows",
          );
          return false;
        },
      )
      .then((tried) => {
        sending.delete(sent);
        bytesSending -= bytes;
        // Another message of this host or user may have waited for this one.
        if (tried) wake();
      });
    sending.add(sent);
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    wokenMeanwhile = true;
    claiming ??= claim()
      .catch((error: unknown) =>
        log.warn({ err: errorText(error) }, "due messages of the outbox could not be read; the poll tries again"),
      )
      .finally(() => {
        claiming = null;
      });
  }

  const poll = setInterval(wake, pollMs);
  return {
    wake,
    async close() {
      stop.abort();
      clearInterval(poll);
      await claiming;
      await Promise.all(sending);
      await fetch.close();
    },
  };
}

type SendContext = OutboxDeps & {
  fetch: GuardedFetch;
  signal: AbortSignal;
  /** Called with a try's outcome before the next message of the host is claimed. */
  noteSpeed: (tried: Try) => void;
};

async function send({ noteSpeed, ...deps }: SendContext, message: DueMessage): Promise<void> {
  const tried = await tryOnce(deps, message).catch((error: unknown) => {
    // Patience costs no try while Postgres is away. Any other fault would come back at once and for ever.
    if (isDependencyFault(error)) throw error;
    deps.log.error({ message_id: message.id, err: errorText(error) }, "a message of the outbox can't be read");
    return unreadableTry(message, deps.scheduleScale);
  });
  if (tried === null) return;
  if (deps.signal.aborted && tried.status_code === null) {
    // A try that this worker aborted does not count.
    return giveBackMessage(deps.db, message);
  }
  noteSpeed(tried);
  const { status } = tried.verdict;
  const kind = message.webhook_id === null ? "callback" : "webhook";
  deps.onTried({ kind, outcome: status === "pending" ? "retry" : status });
  const outcome = await recordTry(deps.db, message, tried, disableAfterMs * deps.scheduleScale);
  if (typeof outcome === "object") deps.onNotified(outcome.told);
}

/** Returns null when the message's run is gone. */
async function tryOnce(
  { fetch, signal, ...deps }: Omit<SendContext, "noteSpeed">,
  message: DueMessage,
): Promise<Try | null> {
  const body = message.payload ?? (await readBody(deps, message.run_id));
  if (body === null) return null;
  const secrets = await readSecrets(deps, message);
  const span = beginSpan(deps.tracing, message);
  const traceparent = span?.traceparent ?? message.traceparent;
  const tried = await deliverCallback(fetch, deps.scheduleScale, { message, body, secrets, signal, traceparent });
  if (span) endSpan(span, tried);
  return tried;
}

function beginSpan(tracing: Tracing | null, { id, run_id, traceparent, host, tries, webhook_id, type }: DueMessage) {
  if (!tracing) return null;
  return tracing.begin(webhook_id === null ? "callback" : "webhook", {
    ...{ kind: "client", parent: traceparent, subject: run_id ?? id },
    attributes: {
      "runfleet.message.id": id,
      "runfleet.event": type,
      ...(run_id !== null && { "runfleet.run.id": run_id }),
      "server.address": host,
      "http.request.method": "POST",
      "http.request.resend_count": tries,
    },
  });
}

function endSpan(span: Span, { status_code, error }: Try): void {
  if (status_code !== null) span.set({ "http.response.status_code": status_code });
  if (error !== null) {
    span.set({ "error.type": error });
    span.fail(error);
  }
  span.end();
}

async function readBody({ readRun }: OutboxDeps, run_id: string | null): Promise<string | null> {
  const record = run_id === null ? null : await readRun(run_id);
  return record && buildPayload(record);
}

const readSecrets = ({ db, keyRing }: OutboxDeps, { webhook_id, user_id }: DueMessage): Promise<string[]> =>
  webhook_id === null ? readSigningSecrets(db, keyRing, user_id) : readWebhookSecrets(db, keyRing, webhook_id);
