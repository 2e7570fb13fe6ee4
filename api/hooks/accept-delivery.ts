import { beforeFirst } from "../../shared/domain/run/event-id.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { type InputDeps, sendInput } from "../../shared/services/inputs/send-input.ts";
import type { AcceptDeps } from "../../shared/services/runs/accept-run.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { endDelivery } from "../../shared/store/hooks/store-delivery.ts";
import type { UnsealedHook } from "../../shared/store/hooks/unseal-hook.ts";
import { acceptAndFollow } from "../stream/accept-and-follow.ts";
import type { FollowedRun } from "../stream/respond-run.ts";
import type { TailHub } from "../stream/tail-hub.ts";
import { storedRefusal } from "./stored-refusal.ts";
import { requestOfDelivery } from "./request-of-delivery.ts";
import { signalOfDelivery } from "./signal-of-delivery.ts";

export type AcceptDeliveryDeps = AcceptDeps & InputDeps & { hub: Pick<TailHub, "open"> };

type Delivery = {
  id: string;
  /** The id of the run that it starts. */
  run_id: string;
  document: HookDocument;
  traceparent: string | null;
  /** Whether somebody asked to repeat the delivery. */
  isReplay: boolean;
};

/**
 * Starts the run of a delivery, or sends its signal, and notes what came of it. Returns the run that it started or spoke to. The
 * caller closes the tail. Throws the errors of an execute request, or of a signal.
 */
export async function acceptDelivery(
  deps: AcceptDeliveryDeps,
  hook: UnsealedHook,
  delivery: Delivery,
): Promise<FollowedRun> {
  const { id } = delivery;
  const replays = delivery.isReplay ? 1 : 0;
  try {
    const run = (await sendSignal(deps, hook, delivery)) ?? (await startRun(deps, hook, delivery));
    const { run_id } = run;
    await endDelivery(deps.db, { id, status: "accepted", run_id, error_code: null, error_message: null }, replays);
    return run;
  } catch (error) {
    const known = storedRefusal(error);
    if (known)
      await endDelivery(
        deps.db,
        { id, status: "failed", run_id: delivery.run_id, error_code: known.code, error_message: known.message },
        replays,
      );
    throw error;
  }
}

/** The run's id was stored with the delivery, so a repeat after the death of this process makes no second run. */
async function startRun(
  deps: AcceptDeliveryDeps,
  hook: UnsealedHook,
  { id, run_id, document, traceparent }: Delivery,
): Promise<FollowedRun> {
  const origin = { owner: hook.user_id, actor: hook.id, traceparent, key: null };
  const request = requestOfDelivery(hook, { id, run_id }, document);
  return acceptAndFollow(deps, request, origin).catch(async (error: unknown) => {
    // The id was made for this delivery: a repeat with other headers, or after a change of the hook, has made the run.
    if (!(error instanceof AppError) || error.code !== "run_id_taken") throw error;
    // The run was deleted.
    if ((await readRunStates(deps.db, [run_id], hook.user_id)).length === 0) throw error;
    return follow(deps, run_id);
  });
}

/** Returns null for a hook that starts runs. A sender's repeat is the same signal; a replay is another one. */
async function sendSignal(
  deps: AcceptDeliveryDeps,
  hook: UnsealedHook,
  { id, run_id: idOfReplay, document, isReplay }: Delivery,
): Promise<FollowedRun | null> {
  const signal = signalOfDelivery(hook.rules, document);
  if (!signal) return null;
  const sent_id = isReplay ? idOfReplay : id;
  await sendInput(deps, hook.user_id, { ...signal, kind: "signal", sent_id, by: hook.id });
  return follow(deps, signal.run_id);
}

const follow = ({ hub }: Pick<AcceptDeliveryDeps, "hub">, run_id: string): FollowedRun => ({
  run_id,
  thread_id: null,
  queued: null,
  cursor: beforeFirst,
  tail: hub.open(run_id),
});
