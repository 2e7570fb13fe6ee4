import { type Operation, refName, type Schema } from "./document.ts";

const notice = "Written by `npm run openapi` from docs/openapi.json. Do not edit.";

/** `Error` would hide JavaScript's. */
const typeName = (name: string): string => (name === "Error" ? "ErrorAnswer" : name);

/** Returns the module of the document's schemas. */
export function emitTypes(schemas: Record<string, Schema>): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema.description, "")}export type ${typeName(name)} = ${typeOf(schema)};\n`,
  );
  return `// ${notice}\n\n${types.join("\n")}`;
}

/** Returns the module of the operations: a table for the client, and the type of what the client makes of it. */
export function emitOperations(operations: Operation[]): string {
  const used = new Set<string>();
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  const table = resources.map((resource) => {
    const own = operations.filter((one) => one.resource === resource);
    return `  ${resource}: {\n${own.map((one) => `    ${camelCase(one.name)}: "${tableEntry(one)}",\n`).join("")}  },\n`;
  });
  const interfaces = resources.map((resource) => {
    const own = operations.filter((one) => one.resource === resource);
    return `  ${resource}: {\n${own.map((one) => signature(one, used)).join("")}  };\n`;
  });
  return [
    `// ${notice}`,
    `import type { Binary, CallOptions } from "../request.ts";`,
    `import type { Pages } from "../pages.ts";`,
    `import type {\n${[...used]
      .toSorted()
      .map((name) => `  ${name},\n`)
      .join("")}} from "./types.ts";`,
    "",
    "/** Method, path, and what the client has to know: see `call-operation.ts`. */",
    `export const operations = {\n${table.join("")}} as const;`,
    "",
    `export type Resources = {\n${interfaces.join("")}};`,
    "",
  ].join("\n");
}

function tableEntry({ method, path, body, query, isKeyed, result, prefersStream }: Operation): string {
  const words = [body && "body", query.length > 0 && "query", isKeyed && "keyed", prefersStream && "async"];
  const kind = result.kind === "json" || result.kind === "nothing" ? false : result.kind;
  return [method, path, ...[...words, kind].filter((word) => typeof word === "string")].join(" ");
}

function signature(one: Operation, used: Set<string>): string {
  const { name, summary, pathParameters, body, query, result } = one;
  const type = (schema: Schema): string => typeOf(schema, "    ", used);
  const given = pathParameters.map((parameter) => `${camelCase(parameter)}: string`);
  if (body) given.push(`body${body.required ? "" : "?"}: ${type(body.schema)}${body.isBinaryToo ? " | Binary" : ""}`);
  if (query.length > 0) {
    const fields = query.map(
      ({ name: field, required, schema, description }) =>
        `${comment(description, "        ")}        ${key(field)}${required ? "" : "?"}: ${type(schema)}${required ? "" : " | undefined"};\n`,
    );
    const isRequired = query.some(({ required }) => required);
    given.push(`query${isRequired ? "" : "?"}: {\n${fields.join("")}      }`);
  }
  given.push("options?: CallOptions");
  const returned = {
    json: () => `Promise<${union(result.kind === "json" ? result.schemas.map(type) : [])}>`,
    page: () => `Pages<${result.kind === "page" ? type(result.item) : ""}>`,
    stream: () => `AsyncGenerator<${result.kind === "stream" ? type(result.event) : ""}>`,
    raw: () => "Promise<Response>",
    nothing: () => "Promise<void>",
  }[result.kind]();
  return `${comment(summary, "    ")}    ${camelCase(name)}: (${given.join(", ")}) => ${returned};\n`;
}

/** Returns a schema as a type. The names of other schemas are added to `used`. */
function typeOf(schema: Schema, indent = "", used = new Set<string>()): string {
  const inner = (one: Schema): string => typeOf(one, indent, used);
  const name = refName(schema);
  if (name !== undefined) {
    used.add(typeName(name));
    return typeName(name);
  }
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return union(values.map((value) => JSON.stringify(value)));
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return union(either.map(inner));
  if (schema.allOf) return schema.allOf.map((one) => `(${inner(one)})`).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => inner({ ...schema, type })));
  if (schema.type === "object") return objectType(schema, indent, used);
  return schema.type === "array" ? arrayType(schema, inner) : plainType(schema.type);
}

const plainType = (type = "unknown"): string => (type === "integer" ? "number" : type);

const arrayType = ({ prefixItems, items }: Schema, inner: (schema: Schema) => string): string =>
  prefixItems ? `[${prefixItems.map(inner).join(", ")}]` : `Array<${inner(items || {})}>`;

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string, used: Set<string>) {
  const more = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent, used) : "unknown";
  if (!properties) return `Record<string, ${more}>`;
  const within = `${indent}  `;
  const fields = Object.entries(properties).map(([field, schema]) => {
    const isRequired = required.includes(field);
    const type = `${typeOf(schema, within, used)}${isRequired ? "" : " | undefined"}`;
    return `${comment(schema.description, within)}${within}${key(field)}${isRequired ? "" : "?"}: ${type};\n`;
  });
  const open = additionalProperties ? `${within}[key: string]: unknown;\n` : "";
  return `{\n${fields.join("")}${open}${indent}}`;
}

const union = (types: string[]): string => [...new Set(types)].join(" | ");
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n` : "";
const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
