import { parseUrl } from "../domain/egress/parse-url.ts";
import { Refused, refuse } from "./field.ts";

/*
 * Reads values like pydantic in its lax mode (a query's "12", a body's true for 1) and refuses them in its words:
 * https://docs.pydantic.dev/latest/concepts/conversion_table/ and …/errors/validation_errors/
 */

export type Bounds = { ge?: number; le?: number };

export function readInt(value: unknown, bounds: Bounds): number | Refused {
  if (typeof value === "boolean") return inBounds(Number(value), bounds);
  if (typeof value !== "number" && typeof value !== "string")
    return refuse("int_type", "Input should be a valid integer");
  if (typeof value === "string" && !/^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/.test(value))
    return refuse("int_parsing", "Input should be a valid integer, unable to parse string as an integer");
  const number = typeof value === "string" ? Number(value.replaceAll("_", "")) : value;
  if (Number.isFinite(number) && !Number.isInteger(number))
    return refuse("int_from_float", "Input should be a valid integer, got a number with a fractional part");
  if (!Number.isSafeInteger(number))
    return refuse("int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size");
  return inBounds(number, bounds);
}

export function readFloat(value: unknown, bounds: Bounds): number | Refused {
  if (typeof value === "boolean") return inBounds(Number(value), bounds);
  if (typeof value !== "number" && typeof value !== "string")
    return refuse("float_type", "Input should be a valid number");
  const number = typeof value === "string" ? parseFloatText(value.trim()) : value;
  if (number === undefined)
    return refuse("float_parsing", "Input should be a valid number, unable to parse string as a number");
  return Number.isFinite(number)
    ? inBounds(number, bounds)
    : refuse("finite_number", "Input should be a finite number");
}

function parseFloatText(text: string): number | undefined {
  if (/^[+-]?(?:inf(?:inity)?|nan)$/i.test(text)) return Number.NaN;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function inBounds(value: number, { ge, le }: Bounds): number | Refused {
  if (ge !== undefined && value < ge)
    return refuse("greater_than_equal", `Input should be greater than or equal to ${ge}`, { ge });
  if (le !== undefined && value > le)
    return refuse("less_than_equal", `Input should be less than or equal to ${le}`, { le });
  return value;
}

const truthWords = new Map<unknown, boolean>([
  ...[true, 1, "1", "on", "t", "true", "y", "yes"].map((word) => [word, true] as const),
  ...[false, 0, "0", "off", "f", "false", "n", "no"].map((word) => [word, false] as const),
]);

export function readBool(value: unknown): boolean | Refused {
  const truth = truthWords.get(typeof value === "string" ? value.toLowerCase() : value);
  if (truth !== undefined) return truth;
  if (typeof value !== "string" && typeof value !== "number")
    return refuse("bool_type", "Input should be a valid boolean");
  return refuse("bool_parsing", "Input should be a valid boolean, unable to interpret input");
}

export type TextRules = { min?: number; max?: number; pattern?: RegExp };

const characters = (count: number) => `${count} character${count === 1 ? "" : "s"}`;

/** Lengths count code points, as in Python. Postgres text can hold neither NUL nor half of a surrogate pair. */
export function readText(value: unknown, { min, max, pattern }: TextRules): string | Refused {
  if (typeof value !== "string") return refuse("string_type", "Input should be a valid string");
  if (/\p{Surrogate}/u.test(value))
    return refuse("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string");
  if (value.includes("\0")) return refuse("value_error", "Value error, the text must not hold the NUL character");
  if (min !== undefined && shorterThan(value, min))
    return refuse("string_too_short", `String should have at least ${characters(min)}`, { min_length: min });
  if (max !== undefined && !shorterThan(value, max + 1))
    return refuse("string_too_long", `String should have at most ${characters(max)}`, { max_length: max });
  if (pattern && !pattern.test(value))
    return refuse("string_pattern_mismatch", `String should match pattern '${pattern.source}'`, {
      pattern: pattern.source,
    });
  return value;
}

function shorterThan(value: string, count: number): boolean {
  if (value.length < count) return true;
  return value.length < count * 2 && Array.from(value).length < count;
}

/** Returns an http(s) URL unchanged, if WHATWG's parser accepts it. */
export function readHttpUrl(value: unknown): string | Refused {
  if (typeof value !== "string") return refuse("url_type", "URL input should be a string or URL");
  const written = readText(value, { max: 2048 });
  if (written instanceof Refused) return written;
  const url = parseUrl(value) ?? undefined;
  if (!url) {
    const error = value === "" ? "input is empty" : urlFault(value);
    return refuse("url_parsing", `Input should be a valid URL, ${error}`, { error });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("url_scheme", "URL scheme should be 'http' or 'https'", { expected_schemes: "'http' or 'https'" });
  return value;
}

const urlFault = (value: string) =>
  /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value) ? "invalid host or port" : "relative URL without a base";

/** Reads an RFC 3339 time. A date alone means midnight; without an offset the time is UTC. */
export function readTime(value: unknown): Date | Refused {
  if (typeof value !== "string") return refuse("datetime_type", "Input should be a valid datetime");
  const match = /^(\d{4}-\d\d-\d\d)(?:[Tt _](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:?\d\d)?)?$/.exec(value);
  if (!match) {
    const error = value.length < 10 ? "input is too short" : "invalid datetime";
    return refuse("datetime_from_date_parsing", `Input should be a valid datetime or date, ${error}`, { error });
  }
  const [, date, clock = "00:00", zone = "Z"] = match;
  const time = new Date(`${date}T${clock}${zone.toUpperCase()}`);
  const rolledOver = Number(date?.slice(8)) !== new Date(`${date}T00:00Z`).getUTCDate();
  if (!Number.isNaN(time.getTime()) && !rolledOver) return time;
  const error = "day value is outside expected range";
  return refuse("datetime_parsing", `Input should be a valid datetime, ${error}`, { error });
}
