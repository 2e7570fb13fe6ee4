import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { PriceTable } from "../../shared/domain/price/model-price.ts";
import { modelPrices } from "../../shared/domain/price/model-prices.ts";
import { errorText } from "../../shared/platform/error-text.ts";

const usd = z.number().nonnegative();
const table = z.object({
  date: z.string(),
  models: z.record(
    z.string(),
    z.strictObject({
      input: usd,
      output: usd,
      cached_input: usd.optional(),
      cache_write: usd.optional(),
      max_output: z.number().int().nonnegative().optional(),
    }),
  ),
});

/** Returns the table in a file, or the one that comes with the software. Throws when the file can't be read as one. */
export async function readPrices(path: string | null): Promise<PriceTable> {
  if (path === null) return modelPrices;
  try {
    return table.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : errorText(error);
    throw new Error(`MODEL_PRICES=${path} can't be read as a table of prices: ${why}`, { cause: error });
  }
}
