type Schema = Record<string, unknown>;
type Scalar = string | number | boolean | null;

/** What a person fills in. `path`: where its value stands in the answer. */
type About = { path: readonly string[]; label: string; hint: string | null; required: boolean };

/** A part of the form of a question. */
export type FormField = About &
  (
    | { kind: "text"; format: "email" | "url" | "date" | "line" | "lines"; most: number | null; initial: string }
    | { kind: "number"; whole: boolean; least: number | null; most: number | null; initial: string }
    | { kind: "choice"; options: readonly Scalar[]; initial: number | null }
    | { kind: "choices"; options: readonly Scalar[]; initial: readonly number[] }
    | { kind: "group"; fields: readonly FormField[] }
    | { kind: "json"; initial: string }
  );

/** More of them make no form that somebody fills in. */
const most = { fields: 40, options: 100, depth: 4, labelLength: 200, hintLength: 1_000 };

/**
 * Returns the form of an answer's schema, one field per value. What no field can hold is a field for JSON, and so is a schema with too
 * many parts. The schema is an agent's: nothing in it is trusted, and its patterns are left to the check of the answer.
 */
export function formFields(schema: Schema): FormField {
  const left = { fields: most.fields };
  const field = fieldOf({ root: schema, left }, schema, { path: [], label: "Your answer", hint: null, required: true });
  return left.fields < 0 ? jsonField(schema, { path: [], label: "Your answer", hint: null, required: true }) : field;
}

type Within = { root: Schema; left: { fields: number } };

function fieldOf(within: Within, given: unknown, about: About): FormField {
  within.left.fields -= 1;
  const schema = simplify(within.root, given);
  if (!schema || within.left.fields < 0) return jsonField(schema, about);
  const described = describe(schema, about);
  const options = optionsOf(schema);
  if (options) return choiceField(schema, described, options);
  const { type } = schema;
  if (type === "string") return textField(schema, described);
  if (type === "number" || type === "integer") return numberField(schema, described);
  if (type === "array") return choicesField(within, schema, described);
  return type === "object" ? groupField(within, schema, described) : jsonField(schema, described);
}

function describe(schema: Schema, about: About): About {
  const { title, description } = schema;
  const label = typeof title === "string" && title.trim() !== "" ? title.slice(0, most.labelLength) : about.label;
  const hint = typeof description === "string" ? description.slice(0, most.hintLength) : about.hint;
  return { ...about, label, hint };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mostSteps = 10;

/** Follows a `$ref` into the schema itself, and takes what null is the only alternative of. Null: it is no plain schema. */
function simplify(root: Schema, given: unknown): Schema | null {
  let schema = given;
  for (let step = 0; step < mostSteps; step += 1) {
    if (!isSchema(schema)) return null;
    const simpler = simplerForm(root, schema);
    if (simpler === schema) return schema;
    schema = simpler;
  }
  return null;
}

/** Returns the schema that a schema stands for; the schema itself when it is plain, and null when it stands for several. */
function simplerForm(root: Schema, schema: Schema): unknown {
  const { $ref, anyOf, oneOf, allOf, type, ...rest } = schema;
  if (typeof $ref === "string") return merged({ ...rest, type }, definitionOf(root, $ref));
  if (allOf !== undefined) return merged({ ...rest, type }, onlyOf(allOf));
  if (anyOf !== undefined || oneOf !== undefined) return merged({ ...rest, type }, onlyOf(anyOf ?? oneOf));
  if (!Array.isArray(type)) return schema;
  const only = onlyOf(type);
  return only === null ? null : { ...rest, type: only };
}

/** Returns the only one of several schemas, or of several types, besides null. Null: there are several. */
function onlyOf(alternatives: unknown): unknown {
  if (!Array.isArray(alternatives)) return null;
  const others = alternatives.filter((one: unknown) => one !== "null" && !(isSchema(one) && one["type"] === "null"));
  return others.length === 1 ? others[0] : null;
}

const merged = (outer: Schema, inner: unknown): unknown => {
  if (!isSchema(inner)) return null;
  return { ...inner, ...Object.fromEntries(Object.entries(outer).filter(([, value]) => value !== undefined)) };
};

function definitionOf(root: Schema, ref: string): unknown {
  const [, place = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const definitions = Object.hasOwn(root, place) ? root[place] : null;
  return isSchema(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : null;
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object";

function optionsOf({ type, enum: words, const: only }: Schema): readonly Scalar[] | null {
  if (type === "boolean" && words === undefined) return [true, false];
  if (only !== undefined && isScalar(only)) return [only];
  const isList = Array.isArray(words) && words.length > 0 && words.length <= most.options && words.every(isScalar);
  return isList ? words : null;
}

function choiceField(schema: Schema, about: About, options: readonly Scalar[]): FormField {
  const initial = options.indexOf(schema["default"] as Scalar);
  return { ...about, kind: "choice", options, initial: initial === -1 ? null : initial };
}

const formats: Record<string, "email" | "url" | "date"> = { email: "email", uri: "url", url: "url", date: "date" };
/** A longer text gets several lines. */
const lineLength = 120;

function textField(schema: Schema, about: About): FormField {
  const { format, maxLength, default: initial } = schema;
  const longest = typeof maxLength === "number" && maxLength >= 0 ? maxLength : null;
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const shape = known ?? (longest !== null && longest <= lineLength ? "line" : "lines");
  return { ...about, kind: "text", format: shape, most: longest, initial: typeof initial === "string" ? initial : "" };
}

function numberField(schema: Schema, about: About): FormField {
  const { type, minimum, maximum, default: initial } = schema;
  return {
    ...about,
    kind: "number",
    whole: type === "integer",
    least: typeof minimum === "number" ? minimum : null,
    most: typeof maximum === "number" ? maximum : null,
    initial: typeof initial === "number" ? String(initial) : "",
  };
}

function choicesField(within: Within, schema: Schema, about: About): FormField {
  const items = simplify(within.root, schema["items"]);
  const options = items && optionsOf(items);
  if (!options) return jsonField(schema, about);
  const given: unknown = schema["default"];
  const initial = Array.isArray(given)
    ? given.map((one) => options.indexOf(one as Scalar)).filter((at) => at !== -1)
    : [];
  return { ...about, kind: "choices", options, initial };
}

function groupField(within: Within, schema: Schema, about: About): FormField {
  const { properties, required } = schema;
  const isPlain = isSchema(properties) && Object.keys(properties).length > 0 && about.path.length < most.depth;
  if (!isPlain) return jsonField(schema, about);
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, property]) => {
    const label = name.slice(0, most.labelLength);
    return fieldOf(within, property, { path: [...about.path, name], label, hint: null, required: needed.has(name) });
  });
  return { ...about, kind: "group", fields };
}

function jsonField(schema: Schema | null, about: About): FormField {
  const initial = schema?.["default"];
  return {
    ...about,
    kind: "json",
    initial: initial === undefined ? "" : JSON.stringify(initial, null, 2).slice(0, 20_000),
  };
}
