import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import { type EntryContent, storedKey } from "../../shared/services/journal/entry.ts";
import type { Db } from "../../shared/store/client.ts";
import { readUntakenMessages, takeMessages } from "../../shared/store/inputs/take-messages.ts";
import { appendEntry } from "../../shared/store/journal/append-entries.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { placeOf } from "../channel/call-fields.ts";
import type { MessagesTake } from "../channel/wait-frame.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import type { Delivery } from "./delivery.ts";
import type { SealSettled } from "./waits.ts";

/** What is said to a run while it works. */
export type Messages = {
  /** Gives the code what was said since it looked last, as an entry of the journal. */
  take(frame: MessagesTake): Promise<void>;
  /** Does something between two looks, which may give messages back. */
  between(act: () => Promise<void>): Promise<void>;
  /** Tells readers of messages that nothing has taken yet, each once in an attempt. */
  tell(): Promise<void>;
};

type Options = {
  db: Db;
  keyRing: KeyRing;
  run: HeldRun;
  publish: (event: RunEventBody) => Promise<void>;
  stop: (reason: AbortReason) => void;
  seal: SealSettled;
  /** Hands an entry over to the process. */
  put: Delivery["put"];
};

type Untaken = Awaited<ReturnType<typeof readUntakenMessages>>;

export function openMessages({ db, keyRing, run, publish, stop, seal, put }: Options): Messages {
  let told = 0n;
  let taking = Promise.resolve();

  function tellOf(messages: Untaken): void {
    for (const { id, sent_id, number } of messages) {
      if (BigInt(number) <= told) continue;
      told = BigInt(number);
      void publish({ type: "message.accepted", message_id: id, sent_id });
    }
  }

  async function takeNow(frame: MessagesTake): Promise<void> {
    const { key } = frame;
    const messages = await untilPostgresAnswers(() => readUntakenMessages(db, run.id));
    tellOf(messages);
    const payloads = messages.map(({ id, sealed_payload }) =>
      open(keyRing, sealed_payload, sealedFields.runInput(run.id, id)).toString("utf8"),
    );
    // As JSON's text: numbers beyond what JavaScript has stay as they are.
    const call = { ...placeOf(frame), args: null, ok: true, result: `[${payloads.join(",")}]` };
    const stored_key = storedKey(key, null);
    const sealed = await seal(stored_key, (settled): EntryContent => ({ ...call, try: 1, own: [], ...settled }));
    if (!sealed) return;
    const ids = messages.map(({ id }) => id);
    const entry = { key: stored_key, attempt: run.attempt, sealed_entry: sealed.bytes };
    const place = await untilPostgresAnswers(() =>
      ids.length === 0
        ? appendEntry(db, { ...entry, run_id: run.id, kind: "messages", writer: "worker" })
        : takeMessages(db, { ...entry, id: run.id, ids }),
    );
    if (place === null) return stop("fenced");
    sealed.committed();
    if (ids.length > 0) void publish({ type: "message.taken", key, message_ids: ids });
    put({ place, line: JSON.stringify({ type: "entry", key, entry: { ...call, kind: "messages" } }) });
  }

  // One after the other: two looks at the same time would take the same messages.
  function between(act: () => Promise<void>): Promise<void> {
    const done = taking.then(act);
    taking = done.catch(() => undefined);
    return done;
  }

  return {
    take: (frame) => between(() => takeNow(frame)),
    between,
    async tell() {
      tellOf(await untilPostgresAnswers(() => readUntakenMessages(db, run.id)));
    },
  };
}
