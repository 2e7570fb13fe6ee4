import { expect, test } from "vitest";
import { unansweredCall } from "../../../shared/domain/connection/unanswered-call.ts";
import { modelPrices } from "../../../shared/domain/price/model-prices.ts";
import type { CallAsked } from "../../../shared/schemas/gateway.ts";
import { countCall } from "../../../worker/calls/call-row.ts";

const asked = { is_metered: true, input_most: 400, output_most: 1_000, model: "gpt-5-mini" } as CallAsked;
const answered = { ...unansweredCall, status: 200, request_bytes: 400, response_bytes: 800, is_whole: true };
const usage = { input: 90, cached: 0, cache_write: 0, output: 20 };

test("an answer that doesn't tell its usage is estimated by its text, and what was reserved for it stays reserved", () => {
  const counted = countCall(modelPrices, asked, answered);
  expect(counted).toMatchObject({ counted: "estimated", is_untold: true, tokens: { input: 100, output: 200 } });
  expect(counted.cost).toBe(100 * 0.25 + 200 * 2);
  const long = countCall(modelPrices, asked, { ...answered, response_bytes: 1_000_000 });
  expect(long.tokens?.output).toBe(1_000);
  expect(countCall(modelPrices, { ...asked, output_most: 0 }, answered).tokens?.output).toBe(0);
});

test("an answer that tells its usage, and one that costs nothing, give back what was reserved for more", () => {
  expect(countCall(modelPrices, asked, { ...answered, usage })).toMatchObject({ counted: "metered", is_untold: false });
  const cut = { ...answered, usage, is_whole: false, pieces: 30 };
  expect(countCall(modelPrices, asked, cut)).toMatchObject({ is_untold: false, tokens: { output: 30 } });
  expect(countCall(modelPrices, asked, { ...answered, status: 429 })).toMatchObject({
    counted: null,
    is_untold: false,
  });
});
