import { expect, test } from "vitest";
import { priceOf } from "../../../../shared/domain/price/model-price.ts";
import { modelPrices } from "../../../../shared/domain/price/model-prices.ts";

test.each([
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4"],
  ["anthropic/claude-3.5-haiku", "claude-3-5-haiku"],
  ["claude-opus-4-5-20251101", "claude-opus-4-5"],
  ["openai/gpt-5.1", "gpt-5.1"],
  ["models/gemini-2.5-pro", "gemini-2.5-pro"],
  ["o3-2025-04-16", "o3"],
  ["o3-pro-2025-06-10", "o3-pro"],
  ["o3-deep-research", "o3-deep-research"],
  ["o4-mini-deep-research", "o4-mini-deep-research"],
  ["gemini-2.5-flash-image", "gemini-2.5-flash-image"],
  ["gpt-4.1-mini:batch", "gpt-4.1-mini"],
])("%s has the price of %s", (model, row) => {
  expect(priceOf(modelPrices, model)).toBe(modelPrices.models[row]);
});

test("a model whose name only begins alike has no price", () => {
  expect(["gpt-50", "gpt-4-1106-preview", "o33", "claude"].map((model) => priceOf(modelPrices, model))).toEqual(
    Array.from({ length: 4 }, () => null),
  );
});
