/** US dollars for a million tokens. `max_output`: the most tokens that one answer has. */
export type ModelPrice = {
  input: number;
  output: number;
  /** Of input that the provider had in its cache; absent: as input. */
  cached_input?: number | undefined;
  /** Of input that it put into its cache; absent: as input. */
  cache_write?: number | undefined;
  max_output?: number | undefined;
};

/** Prices by the beginning of a model's name, as of a date. */
export type PriceTable = { date: string; models: Readonly<Record<string, ModelPrice>> };

/** Tokens as a provider counted them. `cached` and `cache_write` are parts of `input`. */
export type TokenCount = { input: number; cached: number; cache_write: number; output: number };

/**
 * Returns the price of a model; null for one that the table doesn't know. The longest name that the model's begins with counts, so
 * dated names need no rows. A vendor before a slash, as gateways write it, is left out, and a version's dot may be a dash.
 */
export function priceOf({ models }: PriceTable, model: string): ModelPrice | null {
  const bare = plain(model.slice(model.lastIndexOf("/") + 1));
  let found: string | null = null;
  for (const known of Object.keys(models)) {
    const name = plain(known);
    const isMeant = bare === name || ["-", "@", ":"].some((mark) => bare.startsWith(`${name}${mark}`));
    if (isMeant && known.length > (found?.length ?? 0)) found = known;
  }
  return found === null ? null : (models[found] ?? null);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(".", "-");

/** Returns the price of the dearest of some models; null where the table knows none of them. */
export function dearestPrice(table: PriceTable, models: readonly string[]): ModelPrice | null {
  const known = models.map((model) => priceOf(table, model)).filter((price) => price !== null);
  return known.toSorted((a, b) => b.output + b.input - (a.output + a.input))[0] ?? null;
}

/** Returns what tokens cost, in millionths of a US dollar. */
export function costOf(price: ModelPrice, { input, cached, cache_write, output }: TokenCount): number {
  const plain = Math.max(input - cached - cache_write, 0);
  return (
    plain * price.input +
    cached * (price.cached_input ?? price.input) +
    cache_write * (price.cache_write ?? price.input) +
    output * price.output
  );
}
