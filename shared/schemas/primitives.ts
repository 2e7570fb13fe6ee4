import { z } from "zod";
import { requestLimits } from "../domain/run/request-limits.ts";
import { type Field, Refused, field, refuse, toRefusal } from "./field.ts";
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

/** An integer that a double can hold exactly. Also accepts `"12"`, `2.0` and `true`. */
export const laxInt = (bounds: Bounds = {}): Field<number> =>
  field((value) => readInt(value, bounds), { type: "integer", ...boundsJson(bounds) });

/** A finite number. Also accepts `"1.5"` and `true`. */
export const laxFloat = (bounds: Bounds = {}): Field<number> =>
  field((value) => readFloat(value, bounds), { type: "number", ...boundsJson(bounds) });

/** A boolean. Also accepts 0, 1 and the words yes, no, on, off and others in any case. */
export const laxBool = (): Field<boolean> => field(readBool, { type: "boolean" });

/** Well-formed text without NUL. `min` and `max` count code points. Reports at most one fault. */
export const text = (rules: TextRules = {}): Field<string> =>
  field((value) => readText(value, rules), {
    type: "string",
    ...present({ minLength: rules.min, maxLength: rules.max, pattern: rules.pattern?.source }),
  });

/** An id that a client may choose, such as that of an agent, run, thread or user. */
export const clientId = (): Field<string> => text({ max: 128, pattern: /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/ });

/** The name of a version in a query, where a `+` that isn't encoded is read as a blank. */
export const versionQuery = (): Field<string> =>
  field(
    (value) => {
      const name = readText(value, { max: 128 });
      return name instanceof Refused ? name : name.replaceAll(" ", "+");
    },
    { type: "string", maxLength: 128 },
  );

/** An absolute http(s) URL of at most 2048 characters, unchanged. Whether requests may be sent to it is checked elsewhere. */
export const httpUrl = (): Field<string> => field(readHttpUrl, { type: "string", format: "uri", maxLength: 2048 });

/** An RFC 3339 time. A date alone means midnight in UTC. */
export const timestamp = (): Field<Date> => field(readTime, { type: "string", format: "date-time" });

/** Returns `'a', 'b' or 'c'`: pydantic's list of expected values. */
export function listChoices(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** One of several words. */
export function choice<const W extends readonly string[]>(words: W): Field<W[number]> {
  const expected = listChoices(words);
  return field(
    (value) => words.find((word) => word === value) ?? refuse("enum", `Input should be ${expected}`, { expected }),
    { type: "string", enum: [...words] },
  );
}

export type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notADictionary = () => refuse("dict_type", "Input should be a valid dictionary");

/** A free-form object. It is not copied, so that even a key `__proto__` is not lost. */
export const jsonObject = (): Field<JsonObject> =>
  field((value) => (isObject(value) ? value : notADictionary()), { type: "object", additionalProperties: true });

/** A client's own metadata of a thing: a free-form object of at most 64 KiB as JSON. */
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

/** An object with at most `max` texts as values. It is not copied. */
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

/** A list of at most `max` JSON values. It is not copied. For checked items use `z.array`. */
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
  limit: laxInt({ ge: 1, le: 100 }).default(20).meta({ description: "The largest number of things to return." }),
  after: clientId()
    .optional()
    .meta({ description: "The page starts after the thing with this id: `last_id` of the previous page." }),
  order: choice(["desc", "asc"]).default("desc").meta({ description: "desc: newest first. asc: oldest first." }),
});

/** One value of a field, or several: in a query with commas between them, in JSON a list. One value stays itself. */
export function oneOrMany<T>(one: Field<T>, most = 20): Field<T | T[]> {
  const read = (value: unknown): T | T[] | Refused => {
    const parts = typeof value === "string" ? value.split(",") : [value].flat();
    if (parts.length > most) return tooLong("List", most, parts.length);
    const results = parts.map((part) => one.safeParse(part));
    const faults = results.flatMap(({ error }) => error?.issues.map(toRefusal) ?? []);
    if (faults.length > 0) return new Refused(faults);
    const [first, ...rest] = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
    if (first === undefined) return refuse("too_short", "List should have at least 1 item after validation, not 0");
    return rest.length === 0 ? first : [first, ...rest];
  };
  const { description: _, id: __, ...json } = one.meta() ?? {};
  return field(read, { anyOf: [json, { type: "array", items: json, minItems: 1, maxItems: most }] });
}

/** The query parameter of a list whose items leave fields out: the names of those that they shall have, with commas between them. */
export function includeQuery<const W extends readonly string[]>(words: W) {
  const expected = listChoices(words);
  const isWord = (name: string): name is W[number] => words.includes(name);
  const read = (value: unknown): W[number][] | Refused => {
    const given = readText(value, { max: 512 });
    if (given instanceof Refused) return given;
    const names = given.split(",").map((name) => name.trim());
    return names.every(isWord)
      ? names
      : refuse("enum", `Input should be ${expected}, with commas between`, { expected });
  };
  const description = `Fields that the items have, too: ${words.map((word) => `\`${word}\``).join(", ")}, with commas between them. A page that grows too large ends early, with \`has_more\`.`;
  return { include: field(read, { type: "string", maxLength: 512 }).default([]).meta({ description }) };
}

/**
 * Returns the schema of a page. `first_id` and `last_id` are null for an empty page, except after a long search without results, which
 * has a `last_id`. `key`: the field of an item that `after` refers to.
 */
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
