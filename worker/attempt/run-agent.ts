import { applyDefaults } from "../../shared/domain/json/apply-defaults.ts";
import { createRedactor } from "../../shared/platform/secrets/redact.ts";
import type { OpenConnection } from "../../shared/schemas/gateway.ts";
import { cancelRuns } from "../../shared/services/runs/cancel-run.ts";
import { openConnections } from "../../shared/store/connections/unseal-connections.ts";
import { readApprovals } from "../../shared/store/calls/read-approvals.ts";
import { sumCalls } from "../../shared/store/calls/read-calls.ts";
import type { RunError, RunEventBody } from "../../shared/schemas/run-event.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Adapter, Replies } from "../adapters/adapter.ts";
import { type CallQuestion, openApprovals } from "../calls/approvals.ts";
import { openRecordedCalls } from "../calls/recorded-calls.ts";
import { openRunCalls, type RunCalls } from "../calls/run-calls.ts";
import { openSharedBudgets } from "../calls/shared-budgets.ts";
import type { WorkerContext } from "../context.ts";
import { WorkerFault } from "../worker-fault.ts";
import { type ReplayState, readReplayState } from "../journal/read-replay-state.ts";
import { readStandingOutputs } from "../journal/standing-outputs.ts";
import type { Hold } from "../lease/hold-leases.ts";
import type { RunOutput } from "../output/run-output.ts";
import { type UnsealedSecrets, unsealSecrets } from "../../shared/store/secrets/unseal-secrets.ts";
import { prepareAttempt, type Prepared } from "../prepare/agent-request.ts";
import { UnreadableRun } from "../prepare/read-stored-run.ts";
import { secretsNotSet } from "../prepare/secrets-not-set.ts";
import type { Attempt } from "./attempt.ts";
import { type AttemptResult, emptyResult } from "./attempt-result.ts";
import { createFrameHandler } from "./handle-frames.ts";

export type RunAgentDeps = Pick<
  WorkerContext,
  | "config"
  | "db"
  | "workerId"
  | "sandbox"
  | "loopShares"
  | "calls"
  | "journals"
  | "spans"
  | "metrics"
  | "jsonSchemas"
  | "queue"
  | "streams"
> & {
  /** What runs an attempt's agent; null where this worker has no such adapter. */
  adapterFor(attempt: Attempt): Adapter | null;
};

/**
 * Runs an attempt's agent to its end and publishes what it says: redacted, limited, in order. Returns what the attempt left
 * behind. Stopping `hold` ends the agent's process; the iteration then ends by itself.
 */
export async function runAgent(
  deps: RunAgentDeps,
  attempt: Attempt,
  hold: Hold,
  output: RunOutput,
): Promise<AttemptResult> {
  const result = emptyResult();
  const ready = await makeReady(deps, attempt);
  if ("refused" in ready) return { ...result, error: ready.refused };
  const { request, secrets, limits, adapter, connections } = ready;
  const redact = createRedactor(secrets);
  const kept = attempt.has_journal ? await readKeptBy(deps, attempt) : null;
  if (kept) await goOnWith(deps, kept, { attempt, hold, request, result });
  const replies: Replies = { write: null };
  const { handle, journal, publish, settled } = createFrameHandler(deps, {
    attempt,
    hold,
    output,
    result,
    redact,
    limits,
    kept,
    replies,
  });
  /** What the agent itself asks, or has come to, stands. */
  const putAside = (question: CallQuestion): void => {
    result.interrupt ??= { ...question, message: redact.text(question.message) };
    hold.stop("awaiting_approval");
  };
  const calls = await openCalls(deps, attempt, { connections, publish, kept, putAside });
  if (calls) request.calls = () => calls.calls;
  const share = deps.loopShares.join();
  deps.journals.set(attempt.id, journal);
  try {
    for await (const frame of adapter.run(request, hold.signal, replies)) {
      const startedAt = performance.now();
      await handle(frame);
      await share.spend(performance.now() - startedAt, output.sent());
    }
  } catch (error) {
    noteWorkerFault(result, error);
  } finally {
    share.leave();
    forget(deps.journals, attempt.id, journal);
    await calls?.settled(lastCallsMs(attempt, result, hold));
  }
  if (calls) result.metered = calls.metered();
  result.last_call = calls?.last() ?? null;
  await settled();
  // A secret that was split over several outputs is whole only in the joined text.
  return { ...result, outputs: joinText(result.outputs).map(redact.deep) };
}

type AttemptStart = { attempt: Attempt; hold: Hold; request: Prepared["request"]; result: AttemptResult };

/** Lets an attempt begin with what earlier attempts have kept. */
async function goOnWith(
  deps: RunAgentDeps,
  { agent, checkpoints, continued, isReplayed, outputs, events, unwanted }: ReplayState,
  { attempt, hold, request, result }: AttemptStart,
): Promise<void> {
  // Code without durable calls asks in one order, which is all that tells its questions.
  request.journal = isReplayed ? { ...agent, asked: attempt.answer_keys.slice(continued?.answers ?? 0) } : agent;
  if (continued) beginAnew(request, continued, attempt.config);
  if (checkpoints.length > 0) request.checkpoints = checkpoints;
  // Only code that waits cleans up where it waits.
  if (attempt.cancel_requested && !isReplayed) hold.stop("cancelled");
  result.continued = continued?.count ?? 0;
  if (outputs) result.outputs.push(...(await readStandingOutputs(deps.db, attempt.id, events)));
  // One that isn't cancelled here is cancelled when this run ends.
  await cancelRuns(deps, unwanted, { owner: null, actor: attempt.id }).catch(() => undefined);
}

/** The run has gone on as a fresh one: with another input, and its questions are others. */
function beginAnew(
  request: Prepared["request"],
  { input_payload, answers }: NonNullable<ReplayState["continued"]>,
  { input_schema }: Attempt["config"],
): void {
  request.answers = request.answers.slice(answers);
  if (input_payload === undefined) return;
  const input = JSON.parse(input_payload) as Record<string, unknown>;
  request.input_payload = input_schema ? applyDefaults(input_schema, input) : input;
}

type Ready = Pick<Prepared, "request" | "secrets" | "limits"> & { adapter: Adapter; connections: OpenConnection[] };

/** Returns what an attempt's agent is run with, or why it can't be run. */
async function makeReady(deps: RunAgentDeps, attempt: Attempt): Promise<Ready | { refused: RunError }> {
  const refused = (code: string, message: string) => ({ refused: ourError(code, message) });
  const connections = await findConnections(deps, attempt);
  if ("code" in connections) return { refused: connections };
  const prepared = prepare(deps, attempt, { connections, opened: await findSecrets(deps, attempt) });
  if ("unreadable" in prepared) return refused("run_unreadable", `The run can't be read: ${prepared.unreadable}.`);
  if (attempt.build_error !== null) return refused("build_failed", attempt.build_error);
  const { request, secrets, limits, missing_secrets } = prepared;
  if (missing_secrets.length > 0) return refused("secret_not_set", secretsNotSet(attempt.agent_id, missing_secrets));
  const adapter = deps.adapterFor(attempt);
  if (!adapter) return refused("adapter_unavailable", `This worker has no adapter '${attempt.adapter_type}'.`);
  if (request.egress && !deps.sandbox.hasEgress)
    return refused("network_unavailable", "This worker's sandbox has no network to give.");
  return { request, secrets, limits, adapter, connections };
}

type CallParts = {
  connections: OpenConnection[];
  publish: (event: RunEventBody) => Promise<void>;
  kept: Pick<ReplayState, "calls" | "leftCalls"> | null;
  putAside: (question: CallQuestion) => void;
};

async function openCalls(
  { config, db, calls }: RunAgentDeps,
  run: Attempt,
  { connections, publish, kept, putAside }: CallParts,
): Promise<RunCalls | null> {
  if (connections.length === 0) return null;
  const before = await untilPostgresAnswers(() => sumCalls(db, run.id, run.attempt));
  const recorded = openRecordedCalls({ db, keyRing: config.encryptionKeys }, run, kept ?? { calls: [], leftCalls: [] });
  const isAsked = run.attempt > 1 && (run.config.approvals ?? []).length > 0;
  const answers = isAsked ? await untilPostgresAnswers(() => readApprovals(db, run.id)) : new Map<string, unknown>();
  const approvals = openApprovals({ answers, putAside });
  const shared = await openSharedBudgets(db, run);
  const parts = { run, connections, config: run.config, before, recorded, approvals, shared, publish };
  return openRunCalls({ db, ...calls }, parts);
}

/** How long the ends of calls are waited for: those in flight are read to their ends where the run goes on with them. */
const lastCallsMs = (attempt: Attempt, { result, interrupt, suspension }: AttemptResult, hold: Hold): number => {
  const isAside = interrupt !== null || suspension !== null;
  const goesOn = !result && (isAside || attempt.config.retry !== undefined || hold.signal.aborted);
  return goesOn ? 15_000 : 3_000;
};

/** Notes a fault of this worker that passes. Throws any other error. */
function noteWorkerFault(result: AttemptResult, error: unknown): void {
  if (!(error instanceof WorkerFault)) throw error;
  result.error ??= ourError("dependency_install_failed", error.message);
  result.isOfWorker = true;
}

/** A later attempt of the same run may be at work here already. */
function forget<T>(journals: Map<string, T>, run_id: string, journal: T): void {
  if (journals.get(run_id) === journal) journals.delete(run_id);
}

const readKeptBy = ({ config, db }: RunAgentDeps, run: Attempt): Promise<ReplayState> =>
  untilPostgresAnswers(() => readReplayState(db, config.encryptionKeys, run));

/** A row that can't be read is not thrown, because another attempt would read the same row. */
function prepare(
  { config }: RunAgentDeps,
  attempt: Attempt,
  given: Parameters<typeof prepareAttempt>[2],
): Prepared | { unreadable: string } {
  try {
    return prepareAttempt(config.encryptionKeys, attempt, given);
  } catch (error) {
    if (error instanceof UnreadableRun) return { unreadable: error.message };
    throw error;
  }
}

/** Returns the secrets that the agent's config names, but for those that came with the claim. */
async function findSecrets({ config, db }: RunAgentDeps, attempt: Attempt): Promise<UnsealedSecrets> {
  const names = attempt.config.secrets ?? [];
  if (names.length === 0) return { ofAgent: {}, ofOwner: {} };
  return untilPostgresAnswers(() => unsealSecrets(db, config.encryptionKeys, { ...attempt, names }));
}

/** Returns the connections that the agent's config names, or why the run can't have them. */
async function findConnections(
  { config, db, sandbox }: RunAgentDeps,
  attempt: Attempt,
): Promise<OpenConnection[] | RunError> {
  const names = attempt.config.connections ?? [];
  if (names.length === 0) return [];
  if (["http", "container"].includes(attempt.adapter_type))
    return ourError(
      "connections_unavailable",
      `The adapter '${attempt.adapter_type}' can't have connections: it runs in no sandbox.`,
    );
  if (!sandbox.hasEgress)
    return ourError(
      "connections_unavailable",
      `The agent's config names connections, and this worker's sandbox (level ${sandbox.report.level}) can't keep their keys from the agent. Its machine must offer level 2 or 3.`,
    );
  const found = await untilPostgresAnswers(() => openConnections(db, config.encryptionKeys, { ...attempt, names }));
  const missing = names.filter((name) => !found.some((one) => one.name === name));
  if (missing.length === 0) return found;
  const cure = `Set it with PUT /v1/connections/${missing[0]}.`;
  return ourError(
    "connection_not_set",
    `The agent's config names connections that aren't set: ${missing.join(", ")}. ${cure}`,
  );
}

const joinText = (outputs: unknown[]): unknown[] =>
  outputs.length > 0 && outputs.every((part) => typeof part === "string") ? [outputs.join("")] : outputs;

function ourError(code: string, message: string): RunError {
  return { code, type: null, message, traceback: null };
}
