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

/** Returns the schema that holds for a value: a reference is followed, and a type that may be null is that type. */
export function resolve(schema: Schema, root: Schema): Schema {
  const referred = schema.$ref === undefined ? schema : follow(schema, root);
  const branches = referred.anyOf ?? referred.oneOf;
  const kinds = branches?.filter((branch) => branch.type !== "null");
  const [only] = kinds ?? [];
  if (only && kinds?.length === 1)
    return resolve({ ...referred, anyOf: undefined, oneOf: undefined, ...only } as Schema, root);
  if (referred.allOf?.length === 1)
    return resolve({ ...referred, allOf: undefined, ...referred.allOf[0] } as Schema, root);
  return referred;
}

function follow({ $ref = "", ...beside }: Schema, root: Schema): Schema {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1];
  const found = name === undefined ? undefined : root.$defs?.[name];
  // A schema that refers to itself is edited as JSON.
  return found && found.$ref === undefined ? { ...found, ...beside } : { ...beside, allOf: [{}, {}] };
}

/** Returns the control that a value has. `json`: the schema says more than a form can show. */
export function kindOf(schema: Schema): FieldKind {
  if (schema.anyOf ?? schema.oneOf ?? schema.allOf) return "json";
  if (schema.enum) return schema.enum.every((one) => one === null || typeof one !== "object") ? "choice" : "json";
  const type = [schema.type].flat().find((one) => one !== "null") ?? "";
  return kinds[type]?.(schema) ?? "json";
}

const kinds: Record<string, (schema: Schema) => FieldKind> = {
  string: (schema) => (isLong(schema) ? "long text" : "text"),
  integer: () => "number",
  number: () => "number",
  boolean: () => "switch",
  array: (schema) => (isPlainList(schema) ? "list" : "json"),
  object: ({ properties }) => (properties ? "group" : "json"),
};

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
    if (kindOf(property) === "switch") return [[name, false]];
    return kindOf(property) === "group" ? [[name, firstValue(property, root)]] : [];
  });
  return Object.fromEntries(entries);
}

type Group = { schema: Schema; root: Schema; value: Record<string, unknown> };

/**
 * Returns the value of a group in which one field has changed. Undefined leaves the field out. The others stay, in the order of the
 * form, whatever was filled in first: lists of inputs begin with what is asked first. A required box without a tick is false.
 */
export function changeField({ schema, root, value }: Group, field: string, next: unknown): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const isBox = (name: string, property: Schema): boolean =>
    required.includes(name) && kindOf(resolve(property, root)) === "switch";
  const empty = Object.entries(properties).map(([name, one]) => [name, isBox(name, one) ? false : undefined]);
  const all = Object.entries({ ...Object.fromEntries(empty), ...value, [field]: next });
  return Object.fromEntries(all.filter(([, one]) => one !== undefined));
}
