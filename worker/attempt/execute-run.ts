import { salvageStream } from "../../shared/services/runs/salvage-stream.ts";
import { narrowConfig } from "../../shared/domain/run/narrow-config.ts";
import { trace } from "../../shared/platform/trace.ts";
import { type ClaimedRun, type ClaimingWorker, claimRun } from "../../shared/store/runs/claim-run.ts";
import { markWaiting, type WaitReason } from "../../shared/store/runs/mark-waiting.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { WorkerContext } from "../context.ts";
import { abortReasonOf } from "../lease/abort-reason.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { openRunOutput, type RunOutput } from "../output/run-output.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { checkSchemas } from "./check-schemas.ts";
import { commitEnding, giveBack } from "./commit-ending.ts";
import { decideEnding } from "./decide-ending.ts";
import { runAgent, type RunAgentDeps } from "./run-agent.ts";

export type ExecuteDeps = RunAgentDeps &
  Pick<WorkerContext, "streams" | "log" | "leases" | "outputs" | "configs" | "jsonSchemas" | "outbox" | "nudge"> & {
    /** Whose claims these are. */
    card: ClaimingWorker;
    /** Called when a run's agent has ended. The slot may go to the next run: what is left mostly waits for the stores. */
    onAgentEnd?: () => void;
    /** What becomes of an attempt whose agent could not be run, for a fault of the worker's. */
    onFault(run: HeldRun, fault: unknown): Promise<void>;
  };

/**
 * A run's way through a worker: claim → hold its lease → run its agent → decide → commit → announce. Never rejects for
 * anything that the run or its agent does. Returns false when there is nothing for
 * this worker to claim: the run is no longer queued, or only its daemon's owner takes it.
 */
export async function executeRun(deps: ExecuteDeps, runId: string): Promise<boolean> {
  const claimedAt = performance.now();
  trace(runId, "woken");
  const claim = await claimRun(deps.db, runId, deps.card);
  if (claim.kind === "waits") await publishWaiting(deps, runId, claim.reason);
  if (claim.kind === "elsewhere") await deps.streams.signalWorker(claim.worker_id, { kind: "take", run_id: runId });
  if (claim.kind !== "claimed") return claim.kind !== "not_claimable";
  trace(runId, "claimed");
  const failed = await executeAttempt(deps, claim.run, claimedAt);
  if (failed) await deps.onFault(claim.run, failed.fault);
  return true;
}

/** Returns the worker's fault that ended the attempt. The row is then still `running` under this attempt. */
async function executeAttempt(
  deps: ExecuteDeps,
  run: ClaimedRun,
  claimedAt: number,
): Promise<{ fault: unknown } | null> {
  const { id: runId } = run;
  const hold = deps.leases.hold(run, claimedAt);
  const output = openRunOutput(deps, run, () => hold.stop("fenced"));
  deps.outputs.set(runId, output);
  const deadline = setTimeout(() => hold.stop("deadline"), run.timeout_ms);
  try {
    const ran = await runClaimed(deps, run, hold, output).catch((fault: unknown) => ({ fault }));
    if ("fault" in ran) {
      if (abortReasonOf(hold.signal) !== "draining") return ran;
      await giveBack(deps, { attempt: run, output });
      return null;
    }
    trace(runId, "exited");
    deps.onAgentEnd?.();
    clearTimeout(deadline);
    // An attempt that sent nothing has not fenced the stream of the earlier ones yet; its end does.
    const hasFenced = output.sent().events > 0;
    if (hasFenced) await salvageEarlier(deps, run);
    await endAttempt(deps, { ...ran, hold, output, claimedAt });
    if (!hasFenced) await salvageEarlier(deps, run);
    return null;
  } finally {
    clearTimeout(deadline);
    // A later attempt of the same run may be at work here already.
    if (deps.outputs.get(runId) === output) deps.outputs.delete(runId);
    output.close();
    hold.release();
  }
}

/** The config is read under the run's lease: reading may take as long as Postgres takes. */
async function runClaimed(deps: ExecuteDeps, run: ClaimedRun, hold: Hold, output: RunOutput) {
  const { config, config_hash } = await untilPostgresAnswers(() => deps.configs.configOf(run));
  const attempt: Attempt = { ...run, config: narrowConfig(config, run.request_options), config_hash };
  return { attempt, result: await runAgent(deps, attempt, hold, output) };
}

/**
 * Writes what the attempt before streamed into the transcript. An event of this attempt must be in the stream by then: it
 * makes Redis refuse what the earlier attempt still sends.
 */
async function salvageEarlier({ db, streams }: ExecuteDeps, { id, attempt }: HeldRun): Promise<void> {
  if (attempt === 1) return;
  await untilPostgresAnswers(() => salvageStream(db, streams, id, attempt - 1)).catch(() => undefined);
}

type Ended = { attempt: Attempt; result: AttemptResult; hold: Hold; output: RunOutput; claimedAt: number };

async function endAttempt(deps: ExecuteDeps, { attempt, result, hold, output, claimedAt }: Ended): Promise<void> {
  const { spent, timeout_ms, failed_attempts, config } = attempt;
  const duration_ms = (attempt.spent_ms ?? 0) + Math.round(performance.now() - claimedAt);
  const schemaError = await checkSchemas(result, attempt, deps.jsonSchemas);
  const circumstances = { schemaError, spent, timeout_ms, failed_attempts, retry: config.retry, random: Math.random() };
  const decide = (mayPutAside: boolean) =>
    decideEnding(result, { ...circumstances, aborted: abortReasonOf(hold.signal), mayPutAside });
  const ended = { attempt, output, duration_ms };
  if (await commitEnding(deps, ended, decide(true))) return;
  await deps.leases.check(attempt.id);
  await commitEnding(deps, ended, decide(false));
}

/** Tells a run's readers why it waits, once per reason. */
async function publishWaiting({ db, streams }: ExecuteDeps, runId: string, reason: WaitReason): Promise<void> {
  const event = await markWaiting(db, runId, reason);
  // Redis away: readers find the event in the transcript.
  if (event) await streams.append(runId, [event]).catch(() => undefined);
}
