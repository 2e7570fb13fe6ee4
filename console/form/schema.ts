/** As much of a JSON schema as a form needs. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
};

export type FieldKind = "text" | "long text" | "number" | "choice" | "switch" | "list" | "group" | "json";

/**
 * Returns the schema that holds for a value: a reference is followed, and a type that may be null is that type. One that is only found
 * after many steps may refer to itself: it is edited as JSON.
 */
export function resolve(schema: Schema, root: Schema, steps = 10): Schema {
  if (steps === 0) return { ...schema, allOf: [{}, {}] };
  const referred = schema.$ref === undefined ? schema : follow(schema, root);
  const branches = referred.anyOf ?? referred.oneOf;
  const kinds = branches?.filter((branch) => branch.type !== "null");
  const [only] = kinds ?? [];
  if (only && kinds?.length === 1)
    return resolve({ ...referred, anyOf: undefined, oneOf: undefined, ...only } as Schema, root, steps - 1);
  if (referred.allOf?.length === 1)
    return resolve({ ...referred, allOf: undefined, ...referred.allOf[0] } as Schema, root, steps - 1);
  return referred;
}

function follow({ $ref = "", ...beside }: Schema, root: Schema): Schema {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1];
  const found = name === undefined ? undefined : root.$defs?.[name];
  return found && found.$ref === undefined ? { ...found, ...beside } : { ...beside, allOf: [{}, {}] };
}

/** Returns the control that a value has. `json`: the schema says more than a form can show. */
export function kindOf(schema: Schema, root: Schema): FieldKind {
  if (schema.anyOf ?? schema.oneOf ?? schema.allOf) return "json";
  if (schema.enum) return schema.enum.every((one) => one === null || typeof one !== "object") ? "choice" : "json";
  const type = [schema.type].flat().find((one) => one !== "null") ?? "";
  return kinds[type]?.(schema, root) ?? "json";
}

const kinds: Record<string, (schema: Schema, root: Schema) => FieldKind> = {
  string: (schema) => (isLong(schema) ? "long text" : "text"),
  integer: () => "number",
  number: () => "number",
  boolean: () => "switch",
  array: (schema) => (isPlainList(schema) ? "list" : "json"),
  object: (schema, root) => (schema.properties && fieldsLeft(schema, root, mostFields) >= 0 ? "group" : "json"),
};

/** A group of more fields is edited as JSON, and so is one that refers to itself: its fields have no end. */
const mostFields = 100;

/** Returns how many of the fields that a group may have its properties leave. Less than 0: it has too many. */
function fieldsLeft({ properties = {} }: Schema, root: Schema, most: number): number {
  let left = most;
  for (const property of Object.values(properties)) {
    if (left < 0) break;
    left = fieldsLeft(resolve(property, root), root, left - 1);
  }
  return left;
}

const isLong = ({ format, maxLength = 0 }: Schema): boolean =>
  maxLength > 200 || format === "textarea" || format === "markdown";

const isPlainList = ({ items }: Schema): boolean =>
  items?.type === "string" || items?.type === "number" || items?.type === "integer";

/** Returns the value that a form begins with: defaults, and of what is required the first examples, and boxes without a tick. */
export function firstValue(schema: Schema, root: Schema): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, given]): [string, unknown][] => {
    const property = resolve(given, root);
    if (property.default !== undefined) return [[name, property.default]];
    if (!schema.required?.includes(name)) return [];
    if (property.examples?.[0] !== undefined) return [[name, property.examples[0]]];
    if (kindOf(property, root) === "switch") return [[name, false]];
    return kindOf(property, root) === "group" ? [[name, firstValue(property, root)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns a value with false for each required box that it lacks: such a box is shown without a tick. */
export function fillBoxes(schema: Schema, root: Schema, value: Record<string, unknown>): Record<string, unknown> {
  const filled = { ...value };
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const property = resolve(given, root);
    const kind = kindOf(property, root);
    const own = value[name];
    if (kind === "switch" && own === undefined && schema.required?.includes(name)) filled[name] = false;
    if (kind === "group" && typeof own === "object" && own !== null)
      filled[name] = fillBoxes(property, root, own as Record<string, unknown>);
  }
  return filled;
}

type Group = { schema: Schema; root: Schema; value: Record<string, unknown> };

/**
 * Returns the value of a group in which one field has changed. Undefined leaves the field out. The others stay, in the order of the
 * form, whatever was filled in first: lists of inputs begin with what is asked first. A required box without a tick is false.
 */
export function changeField({ schema, root, value }: Group, field: string, next: unknown): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const isBox = (name: string, property: Schema): boolean =>
    required.includes(name) && kindOf(resolve(property, root), root) === "switch";
  const empty = Object.entries(properties).map(([name, one]) => [name, isBox(name, one) ? false : undefined]);
  const all = Object.entries({ ...Object.fromEntries(empty), ...value, [field]: next });
  return Object.fromEntries(all.filter(([, one]) => one !== undefined));
}
