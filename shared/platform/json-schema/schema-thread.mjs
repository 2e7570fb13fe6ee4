import { parentPort } from "node:worker_threads";
import { createCompiler } from "./compile-schema.mjs";

/*
 * Compiles and applies schemas that agents' authors wrote. It runs in a thread of its own, which is ended when a check takes
 * too long: a pattern may backtrack for years. Takes {schema, value} as JSON texts; without a value the schema is only
 * compiled. Answers {faults} or, where the schema can't be used, {error}.
 */
const capacity = 100;
let validators = new Map();
let compile = createCompiler({ trusted: false });
for (const $schema of ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"])
  compile({ $schema });

parentPort?.on("message", ({ schema, value }) => {
  try {
    const validate = validatorOf(schema);
    parentPort?.postMessage({ faults: value === null ? [] : validate(JSON.parse(value)) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error instanceof Error ? error.message : error).slice(0, 500) });
  }
});
parentPort?.postMessage("ready");

function validatorOf(text) {
  const known = validators.get(text);
  if (known) return known;
  if (validators.size >= capacity) {
    validators = new Map();
    compile = createCompiler({ trusted: false });
  }
  const validate = compile(JSON.parse(text));
  validators.set(text, validate);
  return validate;
}
