import type { KeyRing } from "../../shared/config/load-config.ts";
import type { Log } from "../../shared/log.ts";
import { createGuardedFetch, type GuardedFetch } from "../../shared/net/guarded-fetch.ts";
import type { Db } from "../../shared/store/client.ts";
import { claimDueMessages, type DueMessage } from "../../shared/store/outbox/claim-due-messages.ts";
import { recordTry } from "../../shared/store/outbox/record-try.ts";
import { readSigningSecrets } from "../../shared/store/users/signing-secrets.ts";
import { buildPayload } from "./build-payload.ts";
import { callbackTimeoutMs, deliverCallback } from "./deliver-callback.ts";

const atOnce = 32;
const atOncePerHost = 4;
const pollMs = 1_000;
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
};

export type OutboxDrain = {
  /** Says that a message may be due: it is looked for at once. */
  wake(): void;
  /** Breaks off what is being sent; its lease runs out and another worker sends it. */
  close(): Promise<void>;
};

/** Sends due callbacks, this worker's and other ones', until it is closed. What fails here is looked for again. */
export function startOutboxDrain(deps: OutboxDeps): OutboxDrain {
  const { db, log } = deps;
  const fetch = createGuardedFetch(deps.allowCidrs);
  const stop = new AbortController();
  const sending = new Set<Promise<void>>();
  let claiming: Promise<void> | null = null;
  let wokenMeanwhile = false;

  async function claim(): Promise<void> {
    do {
      wokenMeanwhile = false;
      const messages = atOnce - sending.size;
      if (messages <= 0) return;
      const due = await claimDueMessages(db, { messages, per_host: atOncePerHost, lease_ms: leaseMs });
      for (const message of due) start(message);
    } while (wokenMeanwhile && !stop.signal.aborted);
  }

  function start(message: DueMessage): void {
    const sent = send({ ...deps, fetch, signal: stop.signal }, message)
      .then(
        () => true,
        (error: unknown) => {
          log.warn(
            { message_id: message.id, run_id: message.run_id, err: String(error) },
            "a callback wasn't tried; it is repeated",
          );
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

type Sending = OutboxDeps & { fetch: GuardedFetch; signal: AbortSignal };

async function send({ fetch, signal, ...deps }: Sending, message: DueMessage): Promise<void> {
  const record = await deps.readRun(message.run_id);
  if (!record) return;
  const secrets = await readSigningSecrets(deps.db, deps.keyRing, message.user_id);
  const tried = await deliverCallback(fetch, deps.scheduleScale, {
    message,
    body: buildPayload(record),
    secrets,
    signal,
  });
  // What was broken off by us is no try of the receiver's.
  if (signal.aborted && tried.status_code === null) return;
  await recordTry(deps.db, message, tried);
}
