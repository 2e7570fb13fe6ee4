import { setMaxListeners } from "node:events";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import type { Log } from "../../shared/platform/log.ts";
import { createGuardedFetch, type GuardedFetch } from "../../shared/platform/net/guarded-fetch.ts";
import type { Db } from "../../shared/store/client.ts";
import { claimDueMessages, type DueMessage } from "../../shared/store/outbox/claim-due-messages.ts";
import { giveBackMessage } from "../../shared/store/outbox/give-back-message.ts";
import { recordTry, type Try } from "../../shared/store/outbox/record-try.ts";
import { readSigningSecrets } from "../../shared/store/users/signing-secrets.ts";
import { readWebhookSecrets } from "../../shared/store/webhooks/webhook-secrets.ts";
import { buildPayload } from "./build-payload.ts";
import { callbackTimeoutMs, deliverCallback } from "./deliver-callback.ts";

/** Sockets that wait cost little; the more there are, the more slow hosts it takes to fill them. */
const atOnce = 256;
const atOncePerHost = 8;
const atOncePerUser = 128;
const pollMs = 1_000;
/** For so long a webhook to which nothing gets through is borne with; scaled as the schedule is. */
const patienceMs = 5 * 24 * 3_600_000;
/** A try and, with much room, the reads and the write around it. */
const leaseMs = callbackTimeoutMs + 15_000;

export type OutboxDeps = {
  db: Db;
  keyRing: KeyRing;
  log: Log;
  allowCidrs: string[];
  scheduleScale: number;
  /** A run's public record; null: no such run. */
  readRun: (run_id: string) => Promise<Record<string, unknown> | null>;
  /** Hears whom a notification was made for. */
  onTold: (user_id: string) => void;
};

export type OutboxDrain = {
  /** Says that a message may be due: it is looked for at once. */
  wake(): void;
  /** Breaks off what is being sent and hands it back, so that another worker sends it. */
  close(): Promise<void>;
};

/**
 * Sends due callbacks and webhooks' messages, this worker's and other ones', until it is closed. What fails here is looked
 * for again.
 */
export function startOutboxDrain(deps: OutboxDeps): OutboxDrain {
  const { db, log } = deps;
  const fetch = createGuardedFetch(deps.allowCidrs);
  const stop = new AbortController();
  // One listener a message.
  setMaxListeners(atOnce + 1, stop.signal);
  const sending = new Set<Promise<void>>();
  /** Those whose last try from here ran out of time: they get one message at a time until they answer. */
  const slowHosts = new Set<string>();
  let claiming: Promise<void> | null = null;
  let wokenMeanwhile = false;

  async function claim(): Promise<void> {
    do {
      wokenMeanwhile = false;
      const messages = atOnce - sending.size;
      if (messages <= 0) return;
      const shares = { per_host: atOncePerHost, per_user: atOncePerUser, slow_hosts: [...slowHosts] };
      const due = await claimDueMessages(db, { messages, ...shares, lease_ms: leaseMs });
      for (const message of due) start(message);
    } while (wokenMeanwhile && !stop.signal.aborted);
  }

  function start(message: DueMessage): void {
    const noteSpeed = ({ error }: Try): void => {
      if (error === "timeout") slowHosts.add(message.host);
      else slowHosts.delete(message.host);
    };
    const sent = send({ ...deps, fetch, signal: stop.signal, noteSpeed }, message)
      .then(
        () => true,
        (error: unknown) => {
          log.warn({ message_id: message.id, err: String(error) }, "a message wasn't tried; it is repeated");
          return false;
        },
      )
      .then((tried) => {
        sending.delete(sent);
        // Its place is free, for one that waited for it.
        if (tried) wake();
      });
    sending.add(sent);
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    wokenMeanwhile = true;
    claiming ??= claim()
      .catch((error: unknown) => log.warn({ err: String(error) }, "due callbacks weren't read; it is repeated"))
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

type Sending = OutboxDeps & {
  fetch: GuardedFetch;
  signal: AbortSignal;
  /** Hears what came of the try before the message's place is free for another one. */
  noteSpeed: (tried: Try) => void;
};

async function send({ fetch, signal, noteSpeed, ...deps }: Sending, message: DueMessage): Promise<void> {
  const body = message.payload ?? (await readBody(deps, message.run_id));
  if (body === null) return;
  const secrets = await readSecrets(deps, message);
  const tried = await deliverCallback(fetch, deps.scheduleScale, { message, body, secrets, signal });
  if (signal.aborted && tried.status_code === null) {
    // What was broken off by us is no try of the receiver's.
    return giveBackMessage(deps.db, message);
  }
  noteSpeed(tried);
  const outcome = await recordTry(deps.db, message, tried, patienceMs * deps.scheduleScale);
  if (typeof outcome === "object") deps.onTold(outcome.told);
}

async function readBody({ readRun }: OutboxDeps, run_id: string | null): Promise<string | null> {
  const record = run_id === null ? null : await readRun(run_id);
  return record && buildPayload(record);
}

const readSecrets = ({ db, keyRing }: OutboxDeps, { webhook_id, user_id }: DueMessage): Promise<string[]> =>
  webhook_id === null ? readSigningSecrets(db, keyRing, user_id) : readWebhookSecrets(db, keyRing, webhook_id);
