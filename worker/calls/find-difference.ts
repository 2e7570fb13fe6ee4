/** Where two requests differ first. `at`: a JSON path; null where the requests were not kept. */
export type Difference = { at: string | null; was: string | null; is: string | null; hint: string | null };

const shownLength = 120;

/** Returns where a request differs from a recorded one. */
export function findDifference(was: string | null, is: string | null): Difference {
  const unknown = { at: null, was: null, is: null, hint: null };
  if (was === null || is === null) return unknown;
  return compare(JSON.parse(was), JSON.parse(is), "$") ?? unknown;
}

function compare(was: unknown, is: unknown, at: string): Difference | null {
  if (!isObject(was) || !isObject(is) || Array.isArray(was) !== Array.isArray(is))
    return was === is ? null : { at, ...shown(was, is) };
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const found = compare(was[key], is[key], `${at}.${key}`);
    if (found) return found;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Shows both texts around the place from which they differ. */
function shown(was: unknown, is: unknown): Omit<Difference, "at"> {
  const [before, after] = [textOf(was), textOf(is)];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const from = Math.max(same - 20, 0);
  const [one, other] = [before.slice(from, from + shownLength), after.slice(from, from + shownLength)];
  return { was: one, is: other, hint: hintOf(one, other) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"));

const time = /\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\b1[5-9]\d{8,11}\b/;
const randomId = /[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9a-f]{16,}\b/i;

function hintOf(was: string, is: string): string | null {
  if (time.test(was) && time.test(is))
    return "It looks like a time. Take it from context.now(), which is the same on every attempt.";
  if (randomId.test(was) && randomId.test(is))
    return "It looks like a random id. Take it from context.uuid(), which is the same on every attempt.";
  return null;
}
