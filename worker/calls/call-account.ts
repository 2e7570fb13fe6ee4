import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { CallAnswer, CallAsked } from "../../shared/schemas/gateway.ts";
import type { Amount } from "../../shared/domain/price/amount.ts";
import { costOf, type ModelPrice } from "../../shared/domain/price/model-price.ts";
import type { SharedBudgets } from "./shared-budgets.ts";
import type { RemainingSpend } from "./remaining-spend.ts";

export type CallAccount = {
  /** Reserves what a call may cost. Waits while calls in flight may give something back, and nobody has aborted the signal. */
  reserve(wanted: Wanted, signal: AbortSignal): Promise<Reserved | CallAnswer>;
  /** Ends the reservation of a call that is written. `spent`: null where nobody knows: then it stays until the attempt's end. */
  settle(reserved: Amount, spent: Amount | null): void;
  /** What the calls of earlier attempts have cost, when more of them have ended. */
  recount(before: Amount): void;
  /** No call is to be reserved any more. What is reserved for calls that are open still is given back as they are settled. */
  close(): void;
};

export type Reserved = { reserved: Amount; output_most: number | null };

type Options = {
  user_id: string;
  plan_id: string | null;
  budget: AgentConfig["budget"];
  spent: Amount;
  rooms: RemainingSpend;
  shared: SharedBudgets;
};

/** For a model that the price table doesn't know. */
const usualOutput = 16_384;
/** A shorter answer is worth nothing. */
const leastOutput = 16;
const waitMs = 30_000;
/** What other workers' calls give back is looked for this often. */
const lookEveryMs = 200;

/** What one run's calls may cost, by its budget, by those that it shares, and by its owner's wallet, plan and limits. */
export function openCallAccount({ user_id, plan_id, budget, spent: spentBefore, rooms, shared }: Options): CallAccount {
  const cap: Amount = { tokens: budget?.tokens ?? Infinity, micro_usd: (budget?.usd ?? Infinity) * 1_000_000 };
  let spent = spentBefore;
  const used = { ...spent };
  let reservedMicro = 0;
  let reservedTokens = 0;
  let open = 0;
  let isClosed = false;
  /** What was reserved for calls of which nobody knows what they have cost. */
  let unknownMicro = 0;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const go of waiting) go();
    waiting.clear();
  };
  const untilChanged = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  const freeNow = (ownerRoom: number, common: Amount): Amount => ({
    tokens: Math.min(cap.tokens - used.tokens - reservedTokens, common.tokens),
    micro_usd: Math.min(cap.micro_usd - used.micro_usd - reservedMicro, ownerRoom, common.micro_usd),
  });
  const take = (reserved: Amount): void => {
    open += 1;
    reservedTokens += reserved.tokens;
    reservedMicro += reserved.micro_usd;
    rooms.take(user_id, reserved.micro_usd);
  };
  /** Gives back what `take` took for a call that has ended, or doesn't leave. */
  const giveBack = (reserved: Amount, spentMicro = 0): void => {
    open -= 1;
    reservedTokens -= reserved.tokens;
    reservedMicro -= reserved.micro_usd;
    rooms.giveBack(user_id, reserved.micro_usd, spentMicro);
    wake();
  };

  /** Returns false when another run's call was first. */
  async function takeAll(call: number, reserved: Amount): Promise<boolean> {
    take(reserved);
    let isTaken = false;
    try {
      isTaken = await shared.take(call, reserved);
    } finally {
      if (!isTaken) giveBack(reserved);
    }
    return isTaken;
  }

  /** Returns null where calls in flight may give something back. */
  async function tryOnce(wanted: Wanted, mayWait: boolean): Promise<Reserved | CallAnswer | null> {
    const [ownerRoom, common] = await Promise.all([rooms.room(user_id, plan_id), shared.free()]);
    if (isClosed) return refused("run_ended", "The run has ended.");
    const free = freeNow(ownerRoom, common);
    const mayComeBack = mayWait && (open > 0 || common.isHeld);
    const over = (left: Amount): CallAnswer => overBudget(left, { ownerRoom, common });
    const found = findRoom(wanted, free, mayComeBack);
    if (found === "none") return over(free);
    if (found === null || "kind" in found) return found;
    if (await takeAll(wanted.call, found.reserved)) return found;
    return mayWait ? null : over(common);
  }

  return {
    async reserve(wanted, signal) {
      const until = performance.now() + waitMs;
      signal.addEventListener("abort", wake, { once: true });
      for (;;) {
        const left = until - performance.now();
        const decided = await tryOnce(wanted, left > 0 && !signal.aborted);
        if (decided) return decided;
        await untilChanged(shared.isBounded ? Math.min(left, lookEveryMs) : left);
      }
    },
    settle(reserved, costs) {
      if (costs === null && !isClosed) {
        open -= 1;
        unknownMicro += reserved.micro_usd;
        return wake();
      }
      used.tokens += costs?.tokens ?? 0;
      used.micro_usd += costs?.micro_usd ?? 0;
      giveBack(reserved, costs?.micro_usd ?? 0);
    },
    recount(before) {
      used.tokens += before.tokens - spent.tokens;
      used.micro_usd += before.micro_usd - spent.micro_usd;
      spent = before;
    },
    close() {
      isClosed = true;
      wake();
      rooms.giveBack(user_id, unknownMicro, 0);
    },
  };
}

/** `call`: its number in the attempt. */
type Wanted = { call: number; asked: CallAsked; price: ModelPrice | null };

/** Returns what is to be reserved; null: a call that is under way may give something back. */
function findRoom({ asked, price }: Wanted, free: Amount, mayComeBack: boolean): Reserved | CallAnswer | "none" | null {
  const isBounded = free.tokens !== Infinity || free.micro_usd !== Infinity;
  if (isBounded && !asked.is_metered && asked.is_spending) return notMetered;
  const fits = fit(asked, price, free);
  if (fits?.isWhole !== true && mayComeBack) return null;
  if (!fits) return "none";
  // The request's own bound is written as well: the service may not take it by the name that the program has for it.
  const output_most = fits.output_most ?? (asked.output_most || null);
  return { reserved: fits.reserved, output_most: isBounded ? output_most : null };
}

type Fit = { reserved: Amount; output_most: number | null; isWhole: boolean };

/**
 * Returns what is to be reserved; null when there is not enough left. `isWhole`: for all that the request asks for; else for a
 * shorter answer, where it names no length.
 */
function fit(asked: CallAsked, price: ModelPrice | null, free: Amount): Fit | null {
  const { is_metered, output_most } = asked;
  if (!is_metered) return { reserved: { tokens: 0, micro_usd: 0 }, output_most: null, isWhole: true };
  const known = output_most ?? price?.max_output;
  const whole = amountOf(asked, price, known ?? usualOutput);
  if (whole.tokens <= free.tokens && whole.micro_usd <= free.micro_usd)
    return { reserved: whole, output_most: known === undefined ? usualOutput : null, isWhole: true };
  const affordable = output_most === null ? affordableOutput(asked, price, free) : 0;
  if (affordable < leastOutput) return null;
  return { reserved: amountOf(asked, price, affordable), output_most: affordable, isWhole: false };
}

function amountOf({ input_most, choices }: CallAsked, price: ModelPrice | null, output: number): Amount {
  const tokens = input_most + output * choices;
  if (!price) return { tokens, micro_usd: 0 };
  const input = Math.max(price.input, price.cache_write ?? 0);
  const count = { input: input_most, cached: 0, cache_write: 0, output: output * choices };
  return { tokens, micro_usd: costOf({ ...price, input }, count) };
}

/** Returns how many tokens each answer may have for what is left. */
function affordableOutput(asked: CallAsked, price: ModelPrice | null, free: Amount): number {
  const input = amountOf(asked, price, 0);
  const byTokens = (free.tokens - input.tokens) / asked.choices;
  if (!price || price.output === 0) return free.micro_usd < input.micro_usd ? 0 : Math.floor(byTokens);
  return Math.floor(Math.min(byTokens, (free.micro_usd - input.micro_usd) / price.output / asked.choices));
}

const refused = (code: string, reason: string): CallAnswer => ({ kind: "refused", status: 402, code, reason });

const notMetered = refused(
  "not_metered",
  "The run has a budget, and what this call costs can't be read from its answer.",
);

function overBudget(free: Amount, { ownerRoom, common }: { ownerRoom: number; common: Amount }): CallAnswer {
  const isOwners = free.micro_usd === ownerRoom && ownerRoom !== Infinity;
  if (isOwners)
    return refused(
      "spend_limit_reached",
      "The call may cost more than the owner's wallet, plan or spend limit has left.",
    );
  const isShared = free.tokens === common.tokens || free.micro_usd === common.micro_usd;
  const isCapped = common.tokens !== Infinity || common.micro_usd !== Infinity;
  const whose = isShared && isCapped ? "a budget that the run shares (tree, thread or agent_day)" : "the run's budget";
  return refused("budget_exceeded", `The call may cost more than ${whose} has left.`);
}
