import type { PriceTable } from "./model-price.ts";

/** List prices of the providers. Operators replace the table (`MODEL_PRICES`), since prices change and contracts differ. */
export const modelPrices: PriceTable = {
  date: "2026-11-01",
  models: {
    "gpt-5": { input: 1.25, cached_input: 0.125, output: 10, max_output: 128_000 },
    "gpt-5-mini": { input: 0.25, cached_input: 0.025, output: 2, max_output: 128_000 },
    "gpt-5-nano": { input: 0.05, cached_input: 0.005, output: 0.4, max_output: 128_000 },
    "gpt-5-pro": { input: 15, output: 120, max_output: 272_000 },
    "gpt-4.1": { input: 2, cached_input: 0.5, output: 8, max_output: 32_768 },
    "gpt-4.1-mini": { input: 0.4, cached_input: 0.1, output: 1.6, max_output: 32_768 },
    "gpt-4.1-nano": { input: 0.1, cached_input: 0.025, output: 0.4, max_output: 32_768 },
    "gpt-4o": { input: 2.5, cached_input: 1.25, output: 10, max_output: 16_384 },
    "gpt-4o-mini": { input: 0.15, cached_input: 0.075, output: 0.6, max_output: 16_384 },
    o3: { input: 2, cached_input: 0.5, output: 8, max_output: 100_000 },
    "o4-mini": { input: 1.1, cached_input: 0.275, output: 4.4, max_output: 100_000 },
    "text-embedding-3-small": { input: 0.02, output: 0, max_output: 0 },
    "text-embedding-3-large": { input: 0.13, output: 0, max_output: 0 },
    "claude-opus-4": { input: 15, cached_input: 1.5, cache_write: 18.75, output: 75, max_output: 32_000 },
    "claude-opus-4-5": { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25, max_output: 64_000 },
    "claude-sonnet-4": { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15, max_output: 64_000 },
    "claude-haiku-4": { input: 1, cached_input: 0.1, cache_write: 1.25, output: 5, max_output: 64_000 },
    "claude-3-5-haiku": { input: 0.8, cached_input: 0.08, cache_write: 1, output: 4, max_output: 8_192 },
    "gemini-2.5-pro": { input: 1.25, cached_input: 0.31, output: 10, max_output: 65_536 },
    "gemini-2.5-flash": { input: 0.3, cached_input: 0.075, output: 2.5, max_output: 65_536 },
    "gemini-2.5-flash-lite": { input: 0.1, cached_input: 0.025, output: 0.4, max_output: 65_536 },
    "mistral-large": { input: 2, output: 6, max_output: 128_000 },
    "mistral-medium": { input: 0.4, output: 2, max_output: 128_000 },
    "mistral-small": { input: 0.1, output: 0.3, max_output: 128_000 },
  },
};
