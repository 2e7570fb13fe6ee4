import { createHash } from "node:crypto";
import { costOf, type PriceTable, priceOf, type TokenCount } from "../../shared/domain/price/model-price.ts";
import { unansweredCall } from "../../shared/domain/connection/unanswered-call.ts";
import type { CallAsked, CallEnded } from "../../shared/schemas/gateway.ts";
import type { NewCall } from "../../shared/store/calls/insert-call.ts";

/** What a call has cost. `tokens`: null where nothing was counted; `cost`: null where the price isn't known, either. */
export type Counted = {
  tokens: TokenCount | null;
  counted: "metered" | "estimated" | "unknown" | null;
  cost: number | null;
  /** The service may have counted more than it has told: what was reserved stays reserved. */
  is_untold: boolean;
};

/** The answers of earlier attempts cost nothing. */
export const countsNothing: Counted = { tokens: null, counted: null, cost: null, is_untold: false };

export function countCall(prices: PriceTable, asked: CallAsked, end: CallEnded): Counted {
  const { tokens, counted } = tokensOf(asked, end);
  const is_untold = counted === "unknown" || (counted === "estimated" && end.usage === null);
  return { tokens, counted, is_untold, cost: tokens && costOfCall(prices, [end.model, asked.model], tokens) };
}

/** The first of these models whose price is known. Null: none. */
function costOfCall(prices: PriceTable, models: readonly (string | null)[], tokens: TokenCount): number | null {
  for (const model of models) {
    const price = model === null ? null : priceOf(prices, model);
    if (price) return costOf(price, tokens);
  }
  return null;
}

/** Returns what a call has cost. A piece of a stream is a token, more or less, and four bytes of a text are one. */
function tokensOf(
  { is_metered, input_most, output_most }: CallAsked,
  end: CallEnded,
): Pick<Counted, "tokens" | "counted"> {
  if (end.is_lost) return { tokens: null, counted: is_metered ? "unknown" : null };
  if (!is_metered || end.status === null || end.status >= 300) return { tokens: null, counted: null };
  const { usage, pieces, is_whole, request_bytes, response_bytes } = end;
  if (usage && is_whole) return { tokens: usage, counted: "metered" };
  const input = Math.min(input_most, Math.ceil(request_bytes / 4));
  const known = usage ?? { input, cached: 0, cache_write: 0, output: 0 };
  const inText = pieces === 0 ? Math.ceil(response_bytes / 4) : pieces;
  const output = Math.max(known.output, Math.min(inText, output_most ?? Infinity));
  return { tokens: { ...known, output }, counted: "estimated" };
}

type Ended = {
  run_id: string;
  attempt: number;
  /** Its number in its attempt. */
  call: number;
  asked: CallAsked;
  end: CallEnded;
  duration_ms: number;
  recorded: boolean;
  open_key: string | null;
};

/** The row of a call. Its id is the same whoever writes it. */
export function rowOf({ asked, end, ...ended }: Ended, { tokens, counted, cost, is_untold }: Counted): NewCall {
  const { input, cached, output } = tokens ?? { input: 0, cached: 0, output: 0 };
  const key = createHash("sha256").update(`${ended.run_id}:${ended.attempt}:${ended.call}`).digest("hex");
  return {
    id: `call_${key.slice(0, 32)}`,
    ...ended,
    connection: asked.connection,
    method: asked.method,
    host: asked.host,
    path: asked.path,
    status: end.status,
    // Postgres takes no zeros.
    model: (end.model ?? asked.model)?.replaceAll("\0", "") ?? null,
    counted,
    is_untold,
    input_tokens: input,
    cached_tokens: cached,
    output_tokens: output,
    cost_micro_usd: cost,
    request_bytes: end.request_bytes,
    response_bytes: end.response_bytes,
  };
}

/** What is known of a call that was lost. */
export const lostCall: CallEnded = { ...unansweredCall, is_lost: true };
