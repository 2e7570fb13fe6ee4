/**
 * Returns an id as a part of a path. Throws TypeError for an id that would make it the path of another operation: of
 * `/secrets/..` a URL makes `/`.
 */
export function pathSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || ["", ".", ".."].includes(value))
    throw new TypeError(`${name} must be a text that is not empty, and neither '.' nor '..'.`);
  return encodeURIComponent(value);
}
