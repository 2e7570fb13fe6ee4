import { z } from "zod";
import { requestLimits } from "../domain/run/limits.ts";
import { type Field, Refused, field, refuse } from "./field.ts";
import {
  type Bounds,
  type TextRules,
  readBool,
  readFloat,
  readHttpUrl,
  readInt,
  readText,
  readTime,
} from "./read-lax.ts";

const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const boundsJson = ({ ge, le }: Bounds) => present({ minimum: ge, maximum: le });

/** An integer that a double holds exactly; also from `"12"`, `2.0` and `true`. */
export const laxInt = (bounds: Bounds = {}): Field<number> =>
  field((value) => readInt(value, bounds), { type: "integer", ...boundsJson(bounds) });

/** A finite number; also from `"1.5"` and `true`. */
export const laxFloat = (bounds: Bounds = {}): Field<number> =>
  field((value) => readFloat(value, bounds), { type: "number", ...boundsJson(bounds) });

/** A boolean; also from 0, 1 and the words yes, no, on, off … in any case. */
export const laxBool = (): Field<boolean> => field(readBool, { type: "boolean" });

/** Well-formed text without NUL; `min` and `max` count code points. One fault at most. */
export const text = (rules: TextRules = {}): Field<string> =>
  field((value) => readText(value, rules), {
    type: "string",
    ...present({ minLength: rules.min, maxLength: rules.max, pattern: rules.pattern?.source }),
  });

/** An id that a client may choose: of an agent, run, thread, user … */
export const clientId = (): Field<string> => text({ max: 128, pattern: /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/ });

/** An absolute http(s) URL of at most 2048 characters, unchanged. Whether it may be called is another question. */
export const httpUrl = (): Field<string> => field(readHttpUrl, { type: "string", format: "uri", maxLength: 2048 });

/** An RFC 3339 time; a date alone is its midnight in UTC. */
export const timestamp = (): Field<Date> => field(readTime, { type: "string", format: "date-time" });

/** `'a', 'b' or 'c'`, as pydantic lists what it expects. */
export function listWords(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** One of some words. */
export function choice<const W extends readonly string[]>(words: W): Field<W[number]> {
  const expected = listWords(words);
  return field(
    (value) => words.find((word) => word === value) ?? refuse("enum", `Input should be ${expected}`, { expected }),
    { type: "string", enum: [...words] },
  );
}

export type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notADictionary = () => refuse("dict_type", "Input should be a valid dictionary");

/** A free-form object: the very one that was parsed, so that not even a key `__proto__` gets lost. */
export const jsonObject = (): Field<JsonObject> =>
  field((value) => (isObject(value) ? value : notADictionary()), { type: "object", additionalProperties: true });

/** What a client notes on a thing of its own: a free-form object of at most 64 KiB as JSON. */
export const metadataObject = (): Field<JsonObject> =>
  field(
    (value) => {
      if (!isObject(value)) return notADictionary();
      const most = requestLimits.metadata_bytes;
      const isLarge = Buffer.byteLength(JSON.stringify(value)) > most;
      return isLarge ? refuse("value_error", `Value error, must be at most ${most} bytes as JSON`) : value;
    },
    { type: "object", additionalProperties: true },
  );

/** An object whose values are texts, at most `max` of them; the very one that was parsed. */
export const stringMap = ({ max }: { max?: number } = {}): Field<Record<string, string>> =>
  field((value) => (isObject(value) ? readStringMap(value, max) : notADictionary()), {
    type: "object",
    additionalProperties: { type: "string" },
    ...present({ maxProperties: max }),
  });

function readStringMap(map: JsonObject, max = Infinity): Record<string, string> | Refused {
  const entries = Object.entries(map);
  if (entries.length > max) return tooLong("Dictionary", max, entries.length);
  const faults = entries.flatMap(([name, value]) => {
    const read = readText(value, {});
    return read instanceof Refused ? read.refusals.map((refusal) => ({ ...refusal, at: [name] })) : [];
  });
  return faults.length > 0 ? new Refused(faults) : (map as Record<string, string>);
}

/** A list of any JSON values, at most `max` of them; the very one that was parsed. For checked items use `z.array`. */
export const jsonArray = ({ max = Infinity }: { max?: number } = {}): Field<unknown[]> =>
  field(
    (value) => {
      if (!Array.isArray(value)) return refuse("list_type", "Input should be a valid list");
      return value.length > max ? tooLong("List", max, value.length) : value;
    },
    { type: "array", items: {}, ...(max === Infinity ? {} : { maxItems: max }) },
  );

const tooLong = (kind: string, max: number, actual: number) =>
  refuse("too_long", `${kind} should have at most ${max} item${max === 1 ? "" : "s"} after validation, not ${actual}`, {
    field_type: kind,
    max_length: max,
    actual_length: actual,
  });

/** The query of every list; an operation extends it with its filters. */
export const pageQuery = z.object({
  limit: laxInt({ ge: 1, le: 100 }).default(20).meta({ description: "How many to return." }),
  after: clientId().optional().meta({ description: "The id after which to go on: `last_id` of the page before." }),
  order: choice(["desc", "asc"]).default("desc").meta({ description: "Newest first, or oldest first." }),
});

/** A page of a list. The ids are null when it is empty; a search that looked at many rows in vain has a `last_id` all the same. `key`: the field of an item that `after` takes. */
export function pageOf<Item extends z.ZodType>(item: Item, key = "id") {
  const example = item.meta()?.["example"] as JsonObject | undefined;
  const page = z.object({
    data: z.array(item),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  });
  const id = example?.[key];
  return example ? page.meta({ example: { data: [example], has_more: false, first_id: id, last_id: id } }) : page;
}
