/** Markup that is safe to send: every value in it was escaped, or is markup itself. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | readonly (Html | null)[];

/** Returns the markup of a template whose values are escaped, unless they are markup. Null is nothing. */
export function markup(pieces: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(pieces.map((piece, at) => piece + (at < values.length ? markupOf(values[at] ?? null) : "")).join(""));
}

function markupOf(value: Value): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  return typeof value === "object" ? value.map(markupOf).join("") : escape(String(value));
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Characters that no person sees, and those that turn the direction of text around, are shown as what they are: odd. */
const escape = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, (char) =>
      char === "\n" || char === "\t" ? char : "\ufffd",
    )
    .replaceAll(/[&<>"']/g, (char) => escapes[char] ?? "");
