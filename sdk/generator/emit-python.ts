import { type Operation, refName, type Schema } from "./document.ts";

const notice = "# Written by `npm run openapi` from docs/openapi.json. Do not edit.\n# ruff: noqa";

/** Python's words, which are no names. */
const keywords = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

type Field = { key: string; type: string; isRequired: boolean; description?: string };
/** `base`: the class whose fields it has, too. */
type Class = { name: string; fields: Field[]; base?: string };

/** Returns the module of the document's schemas: TypedDicts, which cost nothing when a program runs. */
export function emitPythonTypes(schemas: Record<string, Schema>): string {
  const classes: Class[] = [];
  const derived: Class[] = [];
  const aliases: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties) addClass(className(name), schema, classes);
    else if (schema.allOf) aliases.push(deriveClasses(className(name), schema.allOf, schemas, derived));
    else
      aliases.push(
        `${className(name)}: TypeAlias = ${typeOf(schema, classes, { name: className(name), isAlias: true })}\n`,
      );
  }
  const execute = schemas["ExecuteRequest"];
  if (execute) addClass("RunOptions", runOptions(execute), classes);
  return [
    notice,
    `"""The schemas of the API."""`,
    "",
    "from __future__ import annotations",
    "",
    "from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union",
    "",
    "if TYPE_CHECKING:",
    "    from typing_extensions import NotRequired, TypeAlias",
    "",
    // A base comes before what derives from it.
    ...[...classes, ...derived].map(emitClass),
    ...aliases,
  ].join("\n");
}

/** Python has no type that is two others at once: each type of the union gets a class with the other fields. Returns their union. */
function deriveClasses(name: string, parts: Schema[], schemas: Record<string, Schema>, classes: Class[]): string {
  const own = parts.flatMap((part) => (part.properties ? fieldsOf(name, part, classes) : []));
  const names = parts.flatMap((part) => namedTypes(part, schemas)).map((base) => ({ base, derived: `${name}${base}` }));
  for (const { base, derived } of names) classes.push({ name: derived, fields: own, base });
  return `${name}: TypeAlias = ${unionOf(
    names.map(({ derived }) => `"${derived}"`),
    { name, isAlias: true },
  )}\n`;
}

/** Returns the names of the classes that a reference leads to. */
function namedTypes(schema: Schema, schemas: Record<string, Schema>): string[] {
  const name = refName(schema);
  const meant = name === undefined ? schema : (schemas[name] ?? {});
  const either = meant.anyOf ?? meant.oneOf;
  if (either) return either.flatMap((one) => namedTypes(one, schemas));
  return name === undefined ? [] : [className(name)];
}

/** What a run may be given beside its agent and its input. */
function runOptions({ properties = {} }: Schema): Schema {
  const own = new Set(["agent_id", "version", "input_payload", "run_id", "files"]);
  return { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !own.has(name))) };
}

/** Returns the module of the operations, of a client that awaits. */
export function emitPythonOperations(operations: Operation[], schemas: Record<string, Schema>): string {
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  const used = new Set<string>();
  const classes = resources.map((resource) => {
    const own = operations.filter((one) => one.resource === resource);
    const methods = own.map((one) => emitMethod(one, used));
    return `class Async${pascalCase(resource)}(AsyncResource):\n    """The operations of ${resource}."""\n\n${methods.join("\n")}`;
  });
  const attributes = resources.map(
    (resource) => `        self.${resource} = Async${pascalCase(resource)}(transport)\n`,
  );
  const names = [...used].filter((name) => name in schemas || classNames(schemas).has(name)).toSorted();
  return [
    notice,
    `"""The operations of the API, by area."""`,
    "",
    "from __future__ import annotations",
    "",
    "from collections.abc import AsyncIterator",
    "from typing import Any, Literal",
    "",
    "from .._generated import (",
    ...names.map((name) => `    ${name},`),
    ")",
    "from .._shared import fill_path",
    "from .pages import AsyncPages",
    "from .resource import AsyncResource",
    "from .transport import AsyncTransport",
    "",
    ...classes,
    `class AsyncResources:\n    """All operations of the API."""\n\n    def __init__(self, transport: AsyncTransport) -> None:\n${attributes.join("")}`,
  ].join("\n");
}

/** Returns the module of a client that doesn't await, made of the one that does. */
export function withoutAsync(module: string): string {
  const text = words.reduce((changed, [from, to]) => changed.replaceAll(from, to), module);
  return `# Written by \`npm run openapi\` from the module of this name in _async. Do not edit.\n# ruff: noqa\n${text}`;
}

/** In order. */
const words: [RegExp, string][] = [
  [/\basync (def|for|with) /g, "$1 "],
  [/\bawait /g, ""],
  [/\bAwaitable\[(.+?)\](?=[\],)])/g, "$1"],
  [/, Awaitable\b/g, ""],
  [/\bAsync(?=[A-Z])/g, ""],
  [/\b__a(enter|exit|iter)__/g, "__$1__"],
  [/\baiter_bytes\b/g, "iter_bytes"],
  [/\baclose\b/g, "close"],
  [/\baread\b/g, "read"],
  // Of the modules that wait, one has imported `time` anyway.
  [/^import asyncio\n(import json\n)(?:import time\n)?/gm, "$1import time\n"],
  [/\basyncio\.sleep/g, "time.sleep"],
];

function emitMethod(one: Operation, used: Set<string>): string {
  const { name, summary, path, pathParameters, body, query, result, isKeyed } = one;
  const type = (schema: Schema): string => {
    const text = typeOf(schema, [], { name: "", isAlias: false });
    for (const [word] of text.matchAll(/\b[A-Z]\w+\b/g)) used.add(word);
    return text;
  };
  const positional = pathParameters.map((parameter) => `${pythonName(parameter)}: str`);
  if (body) positional.push(bodyParameter(type(body.schema), body));
  const named = query.map(({ name: field, schema, required }) =>
    required ? `${pythonName(field)}: ${type(schema)}` : `${pythonName(field)}: ${optional(type(schema))} = None`,
  );
  if (isKeyed) named.push("idempotency_key: str | None = None");
  const given = ["self", ...positional, ...(named.length > 0 ? ["*", ...named] : [])].join(", ");
  const docstring = `        """${sentence(summary)}"""\n`;
  const call = callOf(one);
  const filled = `fill_path("${path.replaceAll(/\{\w+\}/g, "{}")}"${pathParameters.map((parameter) => `, ${pythonName(parameter)}`).join("")})`;
  const at = pathParameters.length > 0 ? filled : `"${path}"`;
  switch (result.kind) {
    case "page":
      return `    def ${name}(${given}) -> AsyncPages[${type(result.item)}]:\n${docstring}        return self._pages(${at}, ${queryOf(one)})\n`;
    case "stream":
      return `    def ${name}(${given}) -> AsyncIterator[${type(result.event)}]:\n${docstring}        return self._stream(${at}, ${queryOf(one)}, is_run=${path.startsWith("/v1/runs/{") ? "True" : "False"})\n`;
    case "raw":
      return `    async def ${name}(${given}) -> bytes:\n${docstring}        return await self._bytes(${[at, ...(query.length > 0 ? [`query=${queryOf(one)}`] : [])].join(", ")})\n`;
    case "nothing":
      return `    async def ${name}(${given}) -> None:\n${docstring}        await ${call(at)}\n`;
    case "json":
      return `    async def ${name}(${given}) -> ${union(result.schemas.map(type))}:\n${docstring}        return await ${call(at)}\n`;
  }
}

function bodyParameter(type: string, { required, isBinaryToo }: NonNullable<Operation["body"]>): string {
  const all = isBinaryToo ? union([type, "bytes"]) : type;
  return required ? `body: ${all}` : `body: ${optional(all)} = None`;
}

function callOf({ method, body, query, isKeyed, prefersStream }: Operation): (at: string) => string {
  const more = [
    // A body that may be left out is one without fields.
    ...(body ? [body.required ? "body=body" : "body=body or {}"] : []),
    ...(query.length > 0 ? [`query={${queryFields(query)}}`] : []),
    ...(prefersStream ? [`headers={"prefer": "respond-async"}`] : []),
  ];
  return (at) =>
    isKeyed
      ? `self._keyed(${[at, "idempotency_key", ...more].join(", ")})`
      : `self._json(${[`"${method}"`, at, ...more].join(", ")})`;
}

const queryOf = ({ query }: Operation): string => `{${queryFields(query)}}`;
const queryFields = (query: Operation["query"]): string =>
  query.map(({ name }) => `"${name}": ${pythonName(name)}`).join(", ");

function addClass(name: string, schema: Schema, classes: Class[]): void {
  classes.push({ name, fields: fieldsOf(name, schema, classes) });
}

function fieldsOf(name: string, { properties = {}, required = [] }: Schema, classes: Class[]): Field[] {
  return Object.entries(properties).map(([key, schema]) => ({
    key,
    type: typeOf(schema, classes, { name: `${name}${pascalCase(key)}`, isAlias: false }),
    isRequired: required.includes(key),
    ...(schema.description === undefined ? {} : { description: schema.description }),
  }));
}

/** A class whose fields aren't all names is made by a call. */
function emitClass({ name, fields, base = "TypedDict" }: Class): string {
  const typed = ({ type, isRequired }: Field): string => (isRequired ? type : `NotRequired[${type}]`);
  if (fields.some(({ key }) => keywords.has(key) || !/^[A-Za-z_]\w*$/.test(key))) {
    const quoted = fields.map((field) => `"${field.key}": "${typed(field).replaceAll('"', "'")}"`);
    return `${name} = TypedDict("${name}", {${quoted.join(", ")}})\n`;
  }
  const lines = fields.map(
    (field) => `    ${field.key}: ${typed(field)}\n${field.description ? docstring(field.description) : ""}`,
  );
  return `class ${name}(${base}):\n${lines.join("") || "    pass\n"}\n`;
}

type Place = { name: string; isAlias: boolean };

/** Returns a schema as a type. Classes of nested objects are added to `classes`, named for their place. */
function typeOf(schema: Schema, classes: Class[], place: Place): string {
  const inner = (one: Schema, suffix = ""): string => typeOf(one, classes, { ...place, name: place.name + suffix });
  const name = refName(schema);
  if (name !== undefined) return place.isAlias ? `"${className(name)}"` : className(name);
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return `Literal[${values.map(literal).join(", ")}]`;
  const either = schema.anyOf ?? schema.oneOf;
  if (either) {
    const isOne = either.filter((one) => !isNull(one)).length === 1;
    return unionOf(
      either.map((one, at) => inner(one, isOne ? "" : String(at + 1))),
      place,
    );
  }
  // Only a named schema gets classes of its own (deriveClasses). Elsewhere the last one says what a thing is.
  if (schema.allOf) return inner(schema.allOf.at(-1) ?? {});
  if (Array.isArray(schema.type))
    return unionOf(
      schema.type.map((type) => inner({ ...schema, type })),
      place,
    );
  return structure(schema, classes, place);
}

const isNull = ({ type }: Schema): boolean => type === "null";

function structure(schema: Schema, classes: Class[], place: Place): string {
  const inner = (one: Schema, suffix: string): string => typeOf(one, classes, { ...place, name: place.name + suffix });
  const { type = "", prefixItems, items, properties, additionalProperties } = schema;
  if (type === "array")
    return prefixItems
      ? `tuple[${prefixItems.map((one, at) => inner(one, `Item${at + 1}`)).join(", ")}]`
      : `list[${items ? inner(items, "Item") : "Any"}]`;
  if (type !== "object") return plain[String(type)] ?? "Any";
  if (properties && place.name !== "") {
    addClass(place.name, schema, classes);
    return place.isAlias ? `"${place.name}"` : place.name;
  }
  return typeof additionalProperties === "object"
    ? `dict[str, ${inner(additionalProperties, "Value")}]`
    : "dict[str, Any]";
}

const plain: Record<string, string> = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" };
const className = (name: string): string => (name === "Error" ? "ErrorAnswer" : name);
const classNames = (schemas: Record<string, Schema>): Set<string> => new Set(Object.keys(schemas).map(className));
const literal = (value: unknown): string =>
  typeof value === "boolean" ? pascalCase(String(value)) : JSON.stringify(value);
const pythonName = (name: string): string => (keywords.has(name) ? `${name}_` : name);
const pascalCase = (name: string): string =>
  name
    .replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_all, letter: string) => letter.toUpperCase())
    .replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
const optional = (type: string): string => (type.endsWith("None") ? type : `${type} | None`);

const union = (types: string[]): string => [...new Set(types)].join(" | ");

/** An alias is made when the module is loaded, and Python 3.9 knows no `|` then. */
function unionOf(types: string[], { isAlias }: Place): string {
  const all = [...new Set(types)];
  return isAlias && all.length > 1 ? `Union[${all.join(", ")}]` : union(all);
}

/** Wraps a field's description. */
function docstring(text: string): string {
  const lines: string[] = [""];
  for (const word of text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length > 100) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  const closing = lines.length > 1 ? "\n    " : "";
  return `    """${lines.join("\n    ")}${closing}"""\n`;
}
