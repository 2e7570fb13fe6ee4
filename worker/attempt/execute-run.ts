import { tellParent } from "../../shared/services/children/reconcile-child-runs.ts";
import { openGrant } from "../../shared/services/runs/seal-grant.ts";
import { narrowConfig } from "../../shared/domain/run/narrow-config.ts";
import { maxDurationMs } from "../../shared/domain/run/run-limits.ts";
import { trace } from "../../shared/platform/run-trace-marks.ts";
import { type ClaimingWorker, claimRun } from "../../shared/store/runs/queue/claim-run.ts";
import type { ClaimedRun } from "../../shared/store/runs/queue/claimed-run.ts";
import { readGrantedRun } from "../../shared/store/runs/queue/read-granted-run.ts";
import { forgetWaits } from "../../shared/store/journal/read-waits.ts";
import { dropEntries } from "../../shared/store/journal/read-journal.ts";
import { markWaiting, type WaitReason } from "../../shared/store/runs/queue/mark-waiting.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { WorkerContext } from "../context.ts";
import { memoryOf } from "../lease/memory-budget.ts";
import { abortReasonOf } from "../lease/abort-reason.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { openRunOutput, type RunOutput } from "../output/run-output.ts";
import type { Attempt } from "./attempt.ts";
import { type AttemptResult, emptyResult } from "./attempt-result.ts";
import { checkSchemas } from "./check-schemas.ts";
import { commitEnding, giveBack, saveRest } from "./commit-ending.ts";
import { decideEnding, type Ending } from "./decide-ending.ts";
import { describeLimit, networkHint } from "./describe-limit.ts";
import { reportEnding } from "./report-ending.ts";
import { runAgent, type RunAgentDeps } from "./run-agent.ts";

export type ExecuteDeps = RunAgentDeps &
  Pick<
    WorkerContext,
    | "streams"
    | "log"
    | "metrics"
    | "spans"
    | "leases"
    | "clock"
    | "memory"
    | "outputs"
    | "configs"
    | "jsonSchemas"
    | "outbox"
    | "compactor"
    | "nudge"
    | "queue"
  > & {
    /** Whose claims these are. */
    card: ClaimingWorker;
    /** Called for a run that this worker may execute once it executes nothing else. */
    onSuspect?: (runId: string) => void;
    /** Called when a run's agent has ended. The slot may go to the next run: what is left mostly waits for the stores. */
    onAgentEnd?: () => void;
    /** Called for a run that this worker gives back since it can't run the agent for now. */
    onUnable?: (runId: string) => void;
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
  if (claim.kind === "suspect") deps.onSuspect?.(runId);
  if (claim.kind === "elsewhere") await deps.streams.signalWorker(claim.worker_id, { kind: "take", run_id: runId });
  if (claim.kind !== "claimed") return claim.kind !== "not_claimable";
  await executeClaimed(deps, claim.run, claimedAt);
  return true;
}

/**
 * The same for a run that was committed as this worker's when it was accepted, by a credit of the worker's. `sealed`: what
 * whoever accepted it says of it. Postgres is asked where that isn't enough to know that the lease is this worker's still.
 */
export async function executeGranted(deps: ExecuteDeps, runId: string, sealed: string | null): Promise<void> {
  trace(runId, "woken");
  const granted = openFresh(deps, runId, sealed) ?? (await readGranted(deps, runId));
  if (!granted) return;
  await executeClaimed(deps, granted.run, granted.claimedAt);
}

type GrantInHand = { run: ClaimedRun; claimedAt: number };

/** A message may come late, after the lease: so only one with most of it left is enough. */
function openFresh({ card, clock, config }: ExecuteDeps, runId: string, sealed: string | null): GrantInHand | null {
  const grant = sealed === null ? null : openGrant(config.encryptionKeys, runId, sealed);
  const latest = clock.latest(card.leaseMs / 2);
  if (!grant || latest === null) return null;
  const leftMs = Math.min(card.leaseMs, grant.lease_until - latest);
  return leftMs > card.leaseMs * 0.75
    ? { run: grant.run, claimedAt: performance.now() - (card.leaseMs - leftMs) }
    : null;
}

async function readGranted({ db, card }: ExecuteDeps, runId: string): Promise<GrantInHand | null> {
  const askedAt = performance.now();
  const run = await untilPostgresAnswers(() => readGrantedRun(db, runId, card.id));
  return run && { run, claimedAt: askedAt - (card.leaseMs - run.lease_left_ms) };
}

/** `claimedAt`: no later than the lease began, by performance.now(). */
async function executeClaimed(deps: ExecuteDeps, claimed: ClaimedRun, claimedAt: number): Promise<void> {
  trace(claimed.id, "claimed", { waited_ms: claimed.waited_ms });
  const run = deps.spans?.begin(claimed) ?? claimed;
  const failed = await executeAttempt(deps, run, claimedAt);
  deps.spans?.end(run, { how: "lost", error_code: failed ? "worker_fault" : null, usage: null });
  if (failed) await deps.onFault(run, failed.fault);
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
  // What it has not written yet would only be refused, or be written to a later run of the same id.
  hold.signal.fenced.addEventListener("abort", () => output.close(), { once: true });
  try {
    const ran = await runClaimed(deps, run, hold, output).catch((fault: unknown) => ({ fault }));
    if ("fault" in ran) {
      if (abortReasonOf(hold.signal) !== "draining") {
        // Whoever gives the run back, such as a stopped daemon's mailbox, doesn't have the output.
        await saveRest(deps.db, runId, output).catch(() => undefined);
        return ran;
      }
      await giveBack(deps, { attempt: run, output }, "drained");
      deps.spans?.end(run, { how: "give_back", error_code: null, usage: null });
      return null;
    }
    trace(runId, "exited");
    return await endAttempt(deps, { ...ran, hold, output, claimedAt }).then(
      () => null,
      (fault: unknown) => ({ fault }),
    );
  } finally {
    // A later attempt of the same run may be at work here already.
    if (deps.outputs.get(runId) === output) deps.outputs.delete(runId);
    output.close();
    hold.release();
  }
}

/** The config is read under the run's lease: reading may take as long as Postgres takes. So may the wait for memory. */
async function runClaimed(deps: ExecuteDeps, run: ClaimedRun, hold: Hold, output: RunOutput) {
  const version = await untilPostgresAnswers(() => deps.configs.configOf(run));
  const attempt: Attempt = { ...run, ...version, config: narrowConfig(version.config, run.request_options) };
  // A process that serves several runs is not counted by them.
  const bytes = run.lifecycle === "serverless" ? memoryOf(attempt.config) : 0;
  const giveBackMemory = await deps.memory.reserve(bytes, hold.signal);
  if (!giveBackMemory) return { attempt, result: emptyResult() };
  // One that has a journal was suspended: its code comes to where it waited, and cleans up.
  if (run.cancel_requested && !run.has_journal) hold.stop("cancelled");
  const deadline = setTimeout(() => hold.stop("deadline"), run.timeout_ms);
  try {
    return { attempt, result: await runAgent(deps, attempt, hold, output) };
  } finally {
    clearTimeout(deadline);
    giveBackMemory();
  }
}

type EndedRun = { attempt: Attempt; result: AttemptResult; hold: Hold; output: RunOutput; claimedAt: number };

async function endAttempt(deps: ExecuteDeps, { attempt, result, hold, output, claimedAt }: EndedRun): Promise<void> {
  const { spent, failed_attempts, config } = attempt;
  const took_ms = (attempt.spent_ms ?? 0) + Math.round(performance.now() - claimedAt);
  const duration_ms = Math.min(took_ms, maxDurationMs);
  const schemaError = await checkSchemas(result, attempt, deps.jsonSchemas, hold.signal);
  // Not before: nothing else would bound how many results wait for their check.
  deps.onAgentEnd?.();
  const circumstances = {
    ...{ schemaError, spent, failed_attempts, retry: config.retry, random: Math.random() },
    describeLimit: (limit: string) => describeLimit(limit, attempt),
    networkHint: (texts: readonly (string | null)[]) => networkHint(texts, attempt),
  };
  // A run that started once more to clean up may fail by what its cancel has ended, such as a run that it waits for.
  const asked = attempt.cancel_requested && !result.result ? "cancelled" : null;
  const decide = (mayPutAside: boolean) =>
    decideEnding(result, { ...circumstances, aborted: abortReasonOf(hold.signal) ?? asked, mayPutAside });
  const ended = { attempt, output, duration_ms };
  let ending = decide(true);
  await forgetLastCall(deps, attempt, result, ending);
  if (ending.kind === "give_back" && ending.reason === "no_packages") noteUnable(deps, attempt, result);
  if (!(await commitEnding(deps, ended, ending))) {
    await deps.leases.check(attempt.id);
    ending = decide(false);
    await commitEnding(deps, ended, ending);
  }
  // Lost messages are found by an internal job.
  if (ending.kind === "finish" && attempt.parent_run_id !== null)
    void tellParent(deps, attempt.parent_run_id).catch(() => undefined);
  reportEnding(deps, { ...ended, usage: result.usage }, ending);
  if (result.waits) await forgetWaits(deps.db, attempt.id).catch(() => undefined);
}

function noteUnable(deps: ExecuteDeps, { id: run_id, attempt }: Attempt, { error }: AttemptResult): void {
  const why = "this worker has no room for a run's packages: the run goes back to the queue";
  deps.log.warn({ run_id, attempt, err: error?.message }, why);
  deps.onUnable?.(run_id);
}

/**
 * An agent that failed after its last call would fail again with the same answer, so its retry asks anew. One whose process was
 * killed goes on where it was.
 */
async function forgetLastCall(
  { db }: ExecuteDeps,
  attempt: Attempt,
  { last_call, exit }: AttemptResult,
  ending: Ending,
): Promise<void> {
  if (ending.kind !== "retry" || last_call === null) return;
  const wasKilled = ending.error.code === "process_exited" && exit?.signal != null;
  if (!wasKilled) await untilPostgresAnswers(() => dropEntries(db, attempt, [last_call]));
}

/** Tells a run's readers why it waits, once per reason. */
async function publishWaiting({ db, streams }: ExecuteDeps, runId: string, reason: WaitReason): Promise<void> {
  const event = await markWaiting(db, runId, reason);
  // Redis away: readers find the event in the transcript.
  if (event) await streams.append(runId, [event]).catch(() => undefined);
}
