/** An id that a path can't have. */
export class InvalidIdError extends TypeError {
  override name = "InvalidIdError";
}

/**
 * Returns an id as a part of a path. Throws InvalidIdError for an id that would make it the path of another operation: of
 * `/secrets/..` a URL makes `/`.
 */
export function pathSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || ["", ".", ".."].includes(value))
    throw new InvalidIdError(`${name} must be a text that is not empty, and neither '.' nor '..'.`);
  return encodeURIComponent(value);
}
