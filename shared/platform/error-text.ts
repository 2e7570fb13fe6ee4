/** Deeper causes are left out. */
const deepest = 5;

/**
 * Returns what an error says, with what its causes say. A host with several addresses that all refuse is an AggregateError whose
 * own message is empty: what happened is in its errors.
 */
export function errorText(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || null;
  if (depth === deepest) return own ?? error.name;
  const below = [...(error instanceof AggregateError ? (error.errors as unknown[]) : []), error.cause];
  const texts = below.filter((one) => one !== undefined && one !== null).map((one) => errorText(one, depth + 1));
  // A wrapper often repeats what it wraps.
  const news = [...new Set(texts)].filter((text) => own === null || !own.includes(text)).join("; ");
  return [own, news || null].filter((part) => part !== null).join(": ") || error.name;
}
