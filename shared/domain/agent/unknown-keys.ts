/** A key that the service doesn't read: it is the author's own, or a mistake. `path`: from the config to it. */
export type UnknownKey = { path: string[]; meant: string | null };

/** The keys of an object that the service reads, each with those of the object below it, where it reads such. */
export type KnownKeys = { readonly [key: string]: KnownKeys | null };

/**
 * Yields the keys of `value` that aren't known, each with the known one that it is most like, if it is like one. The caller stops when
 * it has enough of them: a config may have a hundred thousand.
 */
export function* unknownKeys(
  value: Record<string, unknown>,
  known: KnownKeys,
  path: string[] = [],
): Generator<UnknownKey> {
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    const below = Object.hasOwn(known, key) ? known[key] : undefined;
    const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    if (below === undefined) yield { path: at, meant: closest(key, Object.keys(known)) };
    else if (below && isObject) yield* unknownKeys(inner as Record<string, unknown>, below, at);
  }
}

/** So many letters may differ. */
const mostEdits = 2;
/** Names of an author's may have any length, and any number. */
const mostLength = 64;
const mostNames = 1_000;

/** Returns the name that `key` is most like, of the first ones; null when it is like none. */
export function closest(key: string, names: readonly string[]): string | null {
  if (key.length > mostLength) return null;
  const near = names
    .slice(0, mostNames)
    .filter((name) => Math.abs(name.length - key.length) <= mostEdits)
    .map((name) => ({ name, edits: editsBetween(key.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.min(mostEdits, name.length / 3));
  return near.toSorted((one, other) => one.edits - other.edits)[0]?.name ?? null;
}

/** Levenshtein's distance, row by row; two letters that have changed places count once. */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1) {
      const isSwap = at > 0 && one[at] === other[to - 2] && one[at - 1] === other[to - 1];
      next.push(
        Math.min(
          (row[to] ?? 0) + 1,
          (next[to - 1] ?? 0) + 1,
          (row[to - 1] ?? 0) + Number(one[at] !== other[to - 1]),
          isSwap ? (before[to - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
