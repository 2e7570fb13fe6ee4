import { queueTtlMs } from "../../shared/domain/run/run-limits.ts";
import { terminalEvent } from "../../shared/domain/run/terminal-event.ts";
import { newId } from "../../shared/platform/ids.ts";
import { trace } from "../../shared/platform/run-trace-marks.ts";
import type { OpenInterrupt, RunEventBody, StreamEvent, Usage } from "../../shared/schemas/run-event.ts";
import { storedKey } from "../../shared/services/journal/entry.ts";
import { answerUrlOf } from "../../shared/services/runs/answer-url.ts";
import { addLateUsage } from "../../shared/store/runs/moves/add-late-usage.ts";
import { appendTranscript } from "../../shared/store/runs/transcript/append-transcript.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { continueRun } from "../../shared/store/runs/moves/continue-run.ts";
import { finalizeRun } from "../../shared/store/runs/moves/finalize-run.ts";
import { interruptRun } from "../../shared/store/runs/moves/interrupt-run.ts";
import { giveBackRun, restartRun } from "../../shared/store/runs/moves/give-back-run.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { scheduleRun } from "../../shared/store/runs/moves/schedule-run.ts";
import { suspendRun } from "../../shared/store/runs/moves/suspend-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Suspension } from "../channel/suspension.ts";
import type { WorkerContext } from "../context.ts";
import { sealContinuation } from "../journal/seal-continuation.ts";
import type { RunOutput } from "../output/run-output.ts";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./decide-ending.ts";
import { nudgeRuns } from "../../shared/services/runs/nudge-run.ts";

type Deps = Pick<WorkerContext, "config" | "db" | "outbox" | "nudge" | "queue" | "compactor">;
/** `duration_ms`: of all the run's attempts together. */
type EndedRun = { attempt: Attempt; output: RunOutput; duration_ms: number };
/** What a statement returns when the run was still this attempt's; otherwise it returns null. */
type CommitOutcome = { next_run_id: string | null; enqueued?: boolean };

/**
 * Commits what was decided for a run, then announces it, then wakes the run that waited for this one. Returns false when
 * the run could not be put aside, because it was cancelled meanwhile or is another worker's: then decide again.
 */
export async function commitEnding(deps: Deps, ended: EndedRun, ending: Ending): Promise<boolean> {
  if (ending.kind === "leave") {
    await addUsage(deps, ended.attempt, ending.usage);
    return true;
  }
  if (ending.kind === "give_back") {
    const isBack = await giveBack(deps, ended, ending.reason);
    return isBack || ending.reason === "drained";
  }
  if (ending.kind === "restart") return restart(deps, ended);
  if (ending.kind === "continue") return continueAs(deps, ended, ending);
  if (ending.kind === "suspend") return suspend(deps, ended, ending);
  if (ending.kind === "finish") {
    await finish(deps, ended, ending);
    return true;
  }
  return ending.kind === "interrupt" ? interrupt(deps, ended, ending) : retry(deps, ended, ending);
}

/** The run may have been ended from outside, by somebody who could not know what its process used. */
async function addUsage({ db }: Pick<Deps, "db">, run: HeldRun, usage: Usage | null): Promise<void> {
  if (usage) await addLateUsage(db, run, usage).catch(() => undefined);
}

/** The run goes to another worker, uncharged. Returns false when it was no longer this worker's, or may not go back for this reason. */
export async function giveBack(
  { db, nudge }: Pick<Deps, "db" | "nudge">,
  { attempt, output }: { attempt: { id: string; attempt: number }; output: RunOutput },
  reason: Extract<Ending, { kind: "give_back" }>["reason"],
): Promise<boolean> {
  await saveRest(db, attempt.id, output);
  const isBack = await untilPostgresAnswers(() => giveBackRun(db, attempt, reason));
  if (isBack) await nudge(attempt.id);
  return isBack;
}

/** The run goes on as a fresh one, with an empty journal. Returns false when somebody has asked to cancel it. */
async function continueAs(
  { config, db, nudge }: Deps,
  { attempt: run, output, duration_ms }: EndedRun,
  { input_payload, continued, state_snapshot, usage }: Extract<Ending, { kind: "continue" }>,
): Promise<boolean> {
  await saveRest(db, run.id, output);
  const last_seq = output.sent().events;
  const said = {
    input_payload: JSON.stringify(input_payload),
    answers: run.answers.length,
    count: continued + 1,
    last_seq,
  };
  const begin = await sealContinuation(config.encryptionKeys, run, said);
  const queue_ttl_ms = run.config.limits?.queue_ttl_ms ?? queueTtlMs;
  const given = { run, begin, state_snapshot, usage, duration_ms, queue_ttl_ms };
  if (!(await untilPostgresAnswers(() => continueRun(db, given)))) return false;
  await nudge(run.id);
  return true;
}

/** Writes what the transcript lacks of an attempt that ends without an event of its own. */
export async function saveRest(db: Deps["db"], run_id: string, output: RunOutput): Promise<void> {
  const events = await output.finish(null);
  if (events.length > 0) await untilPostgresAnswers(() => appendTranscript(db, run_id, events, null));
  output.kept();
}

/** Returns false when somebody has asked to cancel the run. */
async function restart({ db, nudge }: Deps, { attempt, output }: EndedRun): Promise<boolean> {
  await saveRest(db, attempt.id, output);
  if (!(await untilPostgresAnswers(() => restartRun(db, attempt)))) return false;
  await nudge(attempt.id);
  return true;
}

async function finish(
  deps: Deps,
  ended: EndedRun,
  { outcome, output, said }: Extract<Ending, { kind: "finish" }>,
): Promise<void> {
  const { attempt, duration_ms } = ended;
  const isCommitted = await commit(deps, ended, terminalEvent(outcome, output, duration_ms), async (events) => {
    const finalized = await finalizeRun(deps.db, {
      run_id: attempt.id,
      cause: "finish",
      by: null,
      attempt: attempt.attempt,
      outcome,
      said: attempt.thread_id === null ? null : said,
      duration_ms,
      events,
      reason: outcome.error?.code ?? null,
      ...(isAlone(attempt) && { alone: true }),
    });
    return finalized.kind === "finalized" ? finalized : null;
  });
  const { length } = ended.output.sent();
  if (isCommitted)
    deps.compactor.add({ id: attempt.id, attempt: attempt.attempt, length, pieces: ended.output.pieces() });
  else await addUsage(deps, attempt, outcome.usage);
}

/** True when no other run can wait for the run's end. */
const isAlone = ({ thread_id, concurrency, request_options }: Attempt): boolean =>
  thread_id === null && concurrency === null && request_options?.concurrency_key === undefined;

async function interrupt(
  deps: Deps,
  ended: EndedRun,
  { question, state_snapshot, usage }: Extract<Ending, { kind: "interrupt" }>,
): Promise<boolean> {
  const { attempt: run, duration_ms } = ended;
  const { reason, message, response_schema, expires_in_ms } = question;
  const expires_at = (await inMs(deps, expires_in_ms ?? queueTtlMs)).toISOString();
  const opened: OpenInterrupt = { id: newId("int"), reason, message, response_schema, expires_at };
  // Whoever reads the stream may not be one who may answer.
  const answer_url = answerUrlOf(deps.config, { run_id: run.id, interrupt_id: opened.id });
  const told = run.config.answer_page === "off" ? opened : { ...opened, answer_url };
  return commit(deps, ended, { type: "run.interrupted", interrupts: [opened], state_snapshot }, (events) =>
    interruptRun(deps.db, {
      run,
      interrupt: told,
      call_key: question.call_key ?? null,
      question_key: question.key ?? null,
      state_snapshot,
      usage,
      duration_ms,
      events,
    }),
  );
}

async function suspend(
  deps: Deps,
  ended: EndedRun,
  { suspension, state_snapshot, usage }: Extract<Ending, { kind: "suspend" }>,
): Promise<boolean> {
  const { attempt: run, duration_ms } = ended;
  const { waits, seen_place, wakes_at } = suspension;
  // A run that is due by itself is woken by whatever ends.
  const conditions = wakes_at === null ? storedConditions(suspension) : [];
  const wakes_in_ms = wakes_at === null ? null : wakes_at - Date.now();
  const queue_ttl_ms = run.config.limits?.queue_ttl_ms ?? queueTtlMs;
  const given = { run, seen_place, wakes_in_ms, conditions, queue_ttl_ms, state_snapshot, usage, duration_ms };
  let isWoken = false;
  const isCommitted = await commit(deps, ended, { type: "run.suspended", waits }, async (events) => {
    const suspended = await suspendRun(deps.db, { ...given, events });
    isWoken = suspended?.woken === true;
    return suspended;
  });
  if (isWoken) await deps.nudge(run.id);
  return isCommitted;
}

const storedConditions = ({ conditions }: Suspension) =>
  conditions.map(({ keys, ...rest }) => ({ ...rest, keys: keys.map((key) => storedKey(key, null)) }));

async function retry(
  deps: Deps,
  ended: EndedRun,
  { delay_ms, error, usage }: Extract<Ending, { kind: "retry" }>,
): Promise<boolean> {
  const { attempt: run, duration_ms } = ended;
  const at = await inMs(deps, delay_ms);
  const queue_ttl_ms = run.config.limits?.queue_ttl_ms ?? queueTtlMs;
  const queue = { position: null, wait_reason: "retry" } as const;
  return commit(deps, ended, { type: "run.waiting", queue, error, retry_at: at.toISOString() }, (events) =>
    scheduleRun(deps.db, { run, at, queue_ttl_ms, error, usage, duration_ms, events }),
  );
}

/** `last`: the event that ends the attempt. Readers get it after the commit. */
async function commit(
  deps: Deps,
  { attempt, output }: EndedRun,
  last: RunEventBody,
  statement: (events: StreamEvent[]) => Promise<CommitOutcome | null>,
): Promise<boolean> {
  const { outbox } = deps;
  const events = await output.finish(last);
  const committed = await untilPostgresAnswers(() => statement(events));
  if (!committed) return false;
  trace(attempt.id, "finalized");
  if (committed.enqueued) outbox.wake();
  await output.announce(events.slice(-1));
  trace(attempt.id, "announced");
  if (committed.next_run_id) await nudgeRuns(deps, [committed.next_run_id]);
  return true;
}

/** The time in `ms`, by the clock of Postgres. */
async function inMs({ db }: Pick<Deps, "db">, ms: number): Promise<Date> {
  return new Date((await untilPostgresAnswers(() => readClock(db))).getTime() + ms);
}
