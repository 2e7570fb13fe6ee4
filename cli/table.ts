import { fit, widthOf } from "./text-width.ts";

/** A column of a table: its head, and what it shows of a row. */
export type Column = readonly [head: string, show: (row: Record<string, unknown>) => unknown];

/** How wide a column is at most, unless it is the last one. */
const mostWidth = 60;

/** Returns the lines of a table, its heads first. `width`: where lines are cut; null for no cut. */
export function tableOf(columns: readonly Column[], rows: Record<string, unknown>[], width: number | null): string[] {
  const cells = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, show]) => textOf(show(row))))];
  const widths = columns.slice(0, -1).map((_, at) => {
    const widest = cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), 0);
    return Math.min(mostWidth, widest);
  });
  return cells.map((row) => {
    const line = row.map((text, at) => fill(text, widths[at])).join("  ");
    return (width === null ? line : fit(line, width)).trimEnd();
  });
}

/** Returns a text with blanks behind it, or cut, so that it is as wide as its column. The last column has no width. */
function fill(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const shown = widthOf(text) <= width ? text : `${fit(text, width - 1)}…`;
  return shown + " ".repeat(width - widthOf(shown));
}

/** Returns a value as a line of text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  // A table has a line for each row, and no control codes of foreign texts.
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ");
}

/** Returns how long ago a time was, in its largest unit. */
export function ago(time: unknown): string {
  if (typeof time !== "string") return "";
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  const [unit, name] = units.find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.floor(seconds / unit)} ${name}`;
}

const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

/** Returns a field of rows, which may be a path such as `queue.position`. */
export const field =
  (path: string) =>
  (row: Record<string, unknown>): unknown =>
    path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row);
