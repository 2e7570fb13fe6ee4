import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { inputLimits } from "../../domain/run/journal-limits.ts";
import { queueTtlMs } from "../../domain/run/run-limits.ts";
import type { Config } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { AcceptedInput, InputKind } from "../../schemas/run-input.ts";
import type { Db } from "../../store/client.ts";
import { takeInput } from "../../store/inputs/take-input.ts";
import type { Owner } from "../../store/owned-by.ts";
import { nudgeRuns } from "../runs/nudge-run.ts";

/** The codes that `sendInput` throws. */
export const inputErrors = ["run_not_found", "run_ended", "too_many_inputs"] as const;

export type InputDeps = {
  db: Db;
  config: Pick<Config, "encryptionKeys">;
  queue: Pick<RunQueue, "dispatch">;
  streams: Pick<RunStreams, "signalWorker">;
};

type InputMessage = {
  run_id: string;
  kind: InputKind;
  /** The signal's; empty for a message. */
  name: string;
  /** The sender's id; null: it has none. */
  sent_id: string | null;
  payload: unknown;
  /** Who says it, for the run's timeline. */
  by: string;
};

/**
 * Says something to a run. Once this resolves it is kept, whether the run waits for it already, later, or never. Throws not_found,
 * and conflict for a run that has ended or has too much that nothing takes.
 */
export async function sendInput(deps: InputDeps, owner: Owner, said: InputMessage): Promise<AcceptedInput> {
  const { db, config, queue, streams } = deps;
  const { run_id, payload, ...rest } = said;
  const id = newId("input");
  const text = JSON.stringify(payload ?? null);
  const sealed_payload = seal(config.encryptionKeys, text, sealedFields.runInput(run_id, id));
  const given = { run_id, id, sealed_payload, ...rest, most: inputLimits.untaken, queue_ttl_ms: queueTtlMs };
  const taken = await takeInput(db, owner, given);
  if (taken.kind === "no_run") throw notFound("run", run_id);
  if (taken.kind === "ended") throw conflict("run_ended", "The run has ended: nothing more can be said to it.");
  if (taken.kind === "full")
    throw conflict(
      "too_many_inputs",
      `The run has ${inputLimits.untaken} signals and messages that nothing has taken yet.`,
    );
  // Both may be lost: the worker looks by itself, and its poll finds the queued run.
  if (taken.woken) await nudgeRuns({ db, queue }, [run_id]);
  else if (taken.worker_id && !taken.repeated)
    await streams.signalWorker(taken.worker_id, { kind: "input", run_id }).catch(() => undefined);
  return { id: taken.id, accepted_at: taken.accepted_at.toISOString(), repeated: taken.repeated };
}
