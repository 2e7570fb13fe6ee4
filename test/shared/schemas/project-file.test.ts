import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { readProject } from "../../../cli/settings.ts";
import { configKeys } from "../../../shared/schemas/agent-config.ts";
import { projectFileSchema } from "../../../shared/schemas/project-file.ts";

const schema = projectFileSchema() as { properties: Record<string, { properties?: Record<string, object> }> };
const accepts = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const examples = join(import.meta.dirname, "../../../examples");
const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test("the schema of runfleet.json accepts each example's", () => {
  const faulty = folders.flatMap(({ name }) => (accepts(readProject(join(examples, name))) ? [] : [name]));
  expect(folders.length).toBeGreaterThan(8);
  expect(faulty).toEqual([]);
});

test("an editor is told a key that isn't known, and a value of the wrong type", () => {
  expect(accepts({ agent: "a", config: { limits: { memory_mb: 64 }, input_schema: { "x-own": 1 } } })).toBe(true);
  expect(accepts({ agnet: "a" })).toBe(false);
  expect(accepts({ config: { sorce: "" } })).toBe(false);
  expect(accepts({ config: { limits: { memory: 64 } } })).toBe(false);
  expect(accepts({ config: { runtime_mode: "wide" } })).toBe(false);
});

test("each key is explained, and the keys are those that the service and the command line read", () => {
  const { config, $schema: _, ...own } = schema.properties;
  expect(Object.keys(config?.properties ?? {})).toEqual(Object.keys(configKeys));
  const all = Object.entries({ ...own, ...config?.properties });
  expect(all.flatMap(([key, value]) => ("description" in value ? [] : [key]))).toEqual([]);
  const read = readFileSync(join(import.meta.dirname, "../../../cli/settings.ts"), "utf8");
  const known = /const known = new Set\((\[.*\])\)/.exec(read)?.[1] ?? "[]";
  expect(Object.keys(schema.properties).toSorted()).toEqual((JSON.parse(known) as string[]).toSorted());
});
