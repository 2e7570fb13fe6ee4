import { dearestPrice, type PriceTable, type TokenCount } from "../../shared/domain/price/model-price.ts";
import type { CallAnswer, CallAsked, CallEnded, GatewayRun, OpenConnection } from "../../shared/schemas/gateway.ts";
import type { RunEventBody, TokenUsage } from "../../shared/schemas/run-event.ts";
import { insertCall, type NewCall } from "../../shared/store/calls/insert-call.ts";
import { keepReading } from "../../shared/store/calls/calls-in-flight.ts";
import { type CallSums, sumCalls } from "../../shared/store/calls/read-calls.ts";
import { unansweredCall } from "../../shared/domain/connection/unanswered-call.ts";
import type { Db } from "../../shared/store/client.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { GatewayCalls } from "../gateway/egress.ts";
import type { Approvals } from "./approvals.ts";
import type { Amount } from "../../shared/domain/price/amount.ts";
import { answerOfBroken, isSpent } from "./broken-call.ts";
import { openCallAccount, type Reserved } from "./call-account.ts";
import { type Counted, countCall, countsNothing, lostCall, rowOf } from "./call-row.ts";
import { keyOf, type RecordedCalls, type CallOccurrence } from "./recorded-calls.ts";
import type { SharedBudgets } from "./shared-budgets.ts";
import type { RemainingSpend } from "./remaining-spend.ts";
import type { ConnectionLimits, Throttles } from "./throttles.ts";

export type CallDeps = { db: Db; prices: PriceTable; rooms: RemainingSpend; throttles: Throttles };

type Options = {
  run: { id: string; attempt: number; user_id: string; plan_id: string | null };
  connections: OpenConnection[];
  config: Pick<AgentConfig, "budget" | "approvals">;
  /** What the calls of earlier attempts have cost. */
  before: CallSums;
  recorded: RecordedCalls;
  approvals: Approvals;
  shared: SharedBudgets;
  publish: (event: RunEventBody) => Promise<void>;
};

export type RunCalls = {
  /** For the gateway. */
  calls: GatewayCalls;
  /**
   * Resolves when every call has ended and is written, or after so many ms. No call may leave any more. Answers that come later
   * are kept for the next attempt.
   */
  settled(lastEndsMs: number): Promise<void>;
  /** Returns the key of the entry with the answer that the program had last; null: there is none. */
  last(): string | null;
  /** Returns what was counted in all attempts' calls; null when nothing was. */
  metered(): TokenUsage | null;
};

type Open = {
  call: number;
  asked: CallAsked;
  connection: OpenConnection;
  reserved: Amount;
  throttled: ConnectionLimits;
  startedAt: number;
  /** Its place among the recorded calls; null: it isn't recorded. */
  slot: CallOccurrence | null;
  /** The answer is an earlier attempt's. */
  isReplayed: boolean;
};

type CallStart = Omit<Open, "startedAt">;

/** Follows one attempt's calls: reserves what they may cost, counts what they did cost, and tells of them. */
export function openRunCalls(
  deps: CallDeps,
  { run, connections, config, before, recorded, approvals, shared, publish }: Options,
): RunCalls {
  const { db, prices, rooms, throttles } = deps;
  const account = openCallAccount({
    user_id: run.user_id,
    plan_id: run.plan_id,
    budget: config.budget,
    spent: amountOf(before),
    rooms,
    shared,
  });
  const open = new Map<number, Open>();
  /** Calls that wait until they may leave. Aborted: their clients have gone. */
  const asking = new Map<number, AbortController>();
  const writing = new Set<Promise<boolean>>();
  const ended = new AbortController();
  let earlier = before;
  const own: CallSums = { calls: 0, input_tokens: 0, output_tokens: 0, cost_micro_usd: 0 };
  let begun = 0;
  let hasMissed = false;
  /** The keys of calls that a person has let go: what they have done isn't done again. */
  const letGo = new Set<string>();
  let onEnd = (): void => undefined;

  async function ask(id: number, asked: CallAsked): Promise<CallAnswer> {
    const connection = connections.find(({ name }) => name === asked.connection);
    if (!connection || ended.signal.aborted) return runEnded;
    const gone = new AbortController();
    asking.set(id, gone);
    let slot: CallOccurrence | null = null;
    let answer: CallAnswer | null = null;
    try {
      const taken = asked.record && (await recorded.take(asked.record));
      slot = taken?.slot ?? null;
      const begin = { call: (begun += 1), asked, connection, throttled: throttledBy(run.user_id, connection), slot };
      answer = await answerTo(id, begin, taken, AbortSignal.any([ended.signal, gone.signal]));
      return answer;
    } finally {
      asking.delete(id);
      // A call that doesn't leave, for whatever reason, leaves its place to the next one.
      if (slot && answer?.kind !== "go" && answer?.kind !== "recorded") recorded.end(slot, false, false);
    }
  }

  /** `signal`: aborted when nobody waits for the answer any more. */
  async function answerTo(
    id: number,
    begin: Omit<CallStart, "reserved" | "isReplayed">,
    taken: Awaited<ReturnType<RecordedCalls["take"]>> | null,
    signal: AbortSignal,
  ): Promise<CallAnswer> {
    const { call, asked, slot, throttled } = begin;
    if (taken?.answer) {
      if (taken.isLate) await recount();
      if (asked.approval && slot) letGo.add(keyOf(slot));
      await start(id, { ...begin, reserved: nothing, isReplayed: true });
      return { kind: "recorded", answer: taken.answer };
    }
    const held = await awaitPerson(asked, slot, signal);
    if (held) return held;
    const reserved = await admit({ call, asked, throttled }, signal);
    return "kind" in reserved ? reserved : send(id, { ...begin, reserved: reserved.reserved }, reserved.output_most);
  }

  /** Returns null for a call that nobody is asked about, or that a person has let go. One that nobody has been asked about waits until the attempt is over. */
  async function awaitPerson(
    asked: CallAsked,
    slot: CallOccurrence | null,
    signal: AbortSignal,
  ): Promise<CallAnswer | null> {
    if (!asked.approval) return null;
    if (!slot) return unavailable;
    const call_key = keyOf(slot);
    const verdict = approvals.verdictOf(call_key);
    if (verdict === "approved") {
      letGo.add(call_key);
      return null;
    }
    if (verdict) return verdict;
    void approvals.ask(call_key, asked, () => open.size === 0);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(runEnded), { once: true }));
  }

  /** `output_most`: how long each of its answers may be. */
  async function send(
    id: number,
    begin: Omit<CallStart, "isReplayed">,
    output_most: number | null,
  ): Promise<CallAnswer> {
    const { call: number, asked, slot } = begin;
    try {
      await start(id, { ...begin, isReplayed: false });
      if (asked.record && run.attempt > 1) await tellMiss(number, asked);
      if (slot && !(await recorded.begin(slot, number))) return abandon(id);
    } catch (error) {
      abandon(id);
      throw error;
    }
    return { kind: "go", number, output_most, entry_key: slot && keyOf(slot) };
  }

  /** The attempt is no longer this worker's, or the call can't be told of: it doesn't leave. */
  function abandon(id: number): CallAnswer {
    void end(id, unansweredCall);
    return runEnded;
  }

  /** Calls that earlier attempts had left open may have ended since. */
  async function recount(): Promise<void> {
    earlier = await untilPostgresAnswers(() => sumCalls(db, run.id, run.attempt));
    account.recount(amountOf(earlier));
  }

  async function admit(
    { call, asked, throttled }: Pick<CallStart, "call" | "asked" | "throttled">,
    signal: AbortSignal,
  ): Promise<Reserved | CallAnswer> {
    const price = dearestPrice(prices, [...(asked.model === null ? [] : [asked.model]), ...asked.other_models]);
    if (!(await throttles.admit(throttled, mostTokens(asked), signal))) return runEnded;
    let reserved: Reserved | CallAnswer | null = null;
    try {
      reserved = await account.reserve({ call, asked, price }, signal);
      return reserved;
    } finally {
      if (reserved === null || "kind" in reserved) throttles.giveBack(throttled, mostTokens(asked));
    }
  }

  async function start(id: number, opened: CallStart): Promise<void> {
    open.set(id, { ...opened, startedAt: performance.now() });
    const { call } = opened;
    const { method, host, path, model, connection } = opened.asked;
    await publish({ type: "call.start", call, connection, method, host, path, model });
  }

  /** Tells once where an attempt goes another way than the one before: what follows is a consequence of it. */
  async function tellMiss(call: number, { path, record }: CallAsked): Promise<void> {
    const miss = hasMissed || !record ? null : await recorded.findMiss(path, record);
    if (!miss) return;
    hasMissed = true;
    await publish({ type: "call.missed", call, path, ...miss });
  }

  function end(id: number, end: CallEnded): Promise<boolean> {
    const found = open.get(id);
    if (!found) return Promise.resolve(false);
    open.delete(id);
    const done = finish(found, end)
      // The run's result must not be lost for a row that can't be written.
      .catch(() => false)
      .finally(() => {
        writing.delete(done);
        onEnd();
      });
    writing.add(done);
    return done;
  }

  async function noteEnd(slot: CallOccurrence, { call, asked }: Open, end: CallEnded): Promise<void> {
    const { failed, is_delivered } = end;
    const request = asked.record && { path: asked.path, request: asked.record.request };
    const broken = answerOfBroken(asked, end);
    // An approval is valid for one call.
    const isUsedUp = isSpent(asked, end);
    try {
      if (broken && request) await recorded.keep(slot, call, request, broken);
      else if (failed && request) recorded.fail(slot, request, failed);
    } finally {
      recorded.end(slot, is_delivered || broken !== null, isUsedUp);
    }
  }

  async function finish(ending: Open, end: CallEnded): Promise<boolean> {
    const { call, asked, reserved, throttled, slot, isReplayed, startedAt } = ending;
    const counted = isReplayed ? countsNothing : countCall(prices, asked, end);
    const { tokens, cost } = counted;
    const spent = { tokens: tokens ? tokens.input + tokens.output : 0, micro_usd: cost ?? 0 };
    if (!isReplayed) throttles.settle(throttled, mostTokens(asked), spent.tokens);
    const where = { run_id: run.id, attempt: run.attempt, call, open_key: slot && keyOf(slot) };
    const duration_ms = Math.round(performance.now() - startedAt);
    const row = rowOf({ ...where, asked, end, duration_ms, recorded: isReplayed }, counted);
    let isWritten = false;
    try {
      // The call is written and billed, whatever becomes of its record.
      if (slot) await noteEnd(slot, ending, end).catch(() => undefined);
      // After the attempt's end no event can be published.
      if (!ended.signal.aborted) await tellEnd(row, counted);
      await untilPostgresAnswers(() => insertCall(db, row));
      isWritten = true;
    } finally {
      const isKnown = isWritten && !counted.is_untold;
      if (!isReplayed) account.settle(reserved, isKnown ? spent : null);
    }
    return true;
  }

  async function tellEnd(row: NewCall, { tokens, counted, cost }: Counted): Promise<void> {
    const { id: _id, run_id: _run, attempt: _attempt, method: _m, host: _h, path: _p, open_key: _key, ...said } = row;
    const { cost_micro_usd, is_untold: _untold, ...told } = said;
    const cost_usd = cost_micro_usd === null ? null : cost_micro_usd / 1_000_000;
    await publish({ type: "call.end", ...told, counted, cost_usd });
    if (tokens) await count(tokens, cost ?? 0);
  }

  async function count(tokens: TokenCount, cost: number): Promise<void> {
    own.calls += 1;
    own.input_tokens += tokens.input;
    own.output_tokens += tokens.output;
    own.cost_micro_usd += cost;
    await publish({ type: "usage", ...usageOf(addSums(earlier, own)), source: "metered" });
  }

  /** Says of answers that are still read that they are. */
  async function keepOpen(): Promise<void> {
    const named = [...open.values()].flatMap(({ call, slot }) =>
      slot ? [{ run_id: run.id, attempt: run.attempt, call, key: keyOf(slot) }] : [],
    );
    if (named.length > 0) await untilPostgresAnswers(() => keepReading(db, named));
  }

  /** The calls that go on without their attempt are read to their ends by the gateway. */
  async function leaveOpen(): Promise<void> {
    for (const [id, { slot }] of open) if (!slot) void end(id, lostCall);
    await keepOpen();
    const timer = setInterval(() => {
      if (open.size === 0) clearInterval(timer);
      else void keepOpen().catch(() => undefined);
    }, keepOpenEveryMs);
    timer.unref();
  }

  return {
    calls: {
      run: (): GatewayRun => ({
        ...{ run_id: run.id, attempt: run.attempt, connections },
        approvals: config.approvals ?? [],
      }),
      ask,
      async keep(id, answer) {
        const { slot, asked, call = 0 } = open.get(id) ?? {};
        return slot && asked?.record ? recorded.keep(slot, call, { ...asked.record, path: asked.path }, answer) : false;
      },
      leave(id) {
        asking.get(id)?.abort();
        const { slot } = open.get(id) ?? {};
        if (slot) recorded.leave(slot);
      },
      end,
      lose: (id) => end(id, lostCall),
    },
    async settled(lastEndsMs) {
      const until = performance.now() + lastEndsMs;
      while ((open.size > 0 || writing.size > 0) && performance.now() < until)
        await Promise.race([
          new Promise<void>((resolve) => (onEnd = resolve)),
          new Promise<void>((resolve) => setTimeout(resolve, until - performance.now())),
        ]);
      if (open.size > 0) await leaveOpen();
      await Promise.all(writing);
      ended.abort();
      account.close();
      if (run.attempt > 1) await recount();
    },
    last() {
      const key = recorded.last();
      return key !== null && letGo.has(key) ? null : key;
    },
    metered: () => (earlier.calls + own.calls === 0 ? null : usageOf(addSums(earlier, own))),
  };
}

/** What a call counts for in its connection's limits until it has ended. */
const mostTokens = ({ is_metered, input_most, output_most }: CallAsked): number =>
  is_metered ? input_most + (output_most ?? 0) : 0;

const nothing: Amount = { tokens: 0, micro_usd: 0 };
const unavailable: CallAnswer = {
  ...{ kind: "refused", status: 503, code: "unavailable" },
  reason: "Whether a person lets this call go can't be kept. Try again.",
};
const runEnded: CallAnswer = { kind: "refused", status: 403, code: "run_ended", reason: "The run has ended." };
/** Somebody is taken to read an answer for 10 s after having said so. */
const keepOpenEveryMs = 3_000;

const amountOf = ({ input_tokens, output_tokens, cost_micro_usd }: CallSums): Amount => ({
  tokens: input_tokens + output_tokens,
  micro_usd: cost_micro_usd,
});

const addSums = (one: CallSums, other: CallSums): CallSums => ({
  calls: one.calls + other.calls,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
  cost_micro_usd: one.cost_micro_usd + other.cost_micro_usd,
});

const usageOf = ({ input_tokens, output_tokens, cost_micro_usd }: CallSums): TokenUsage => ({
  input_tokens,
  output_tokens,
  cost_usd: Math.ceil(cost_micro_usd) / 1_000_000,
});

const throttledBy = (
  user_id: string,
  { name, base_url, requests_per_minute, tokens_per_minute }: OpenConnection,
): ConnectionLimits => ({ key: JSON.stringify([user_id, name, base_url]), requests_per_minute, tokens_per_minute });
