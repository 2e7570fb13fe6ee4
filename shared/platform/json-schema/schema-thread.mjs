import { parentPort } from "node:worker_threads";
import { createCompiler } from "./compile-schema.mjs";

/*
 * Compiles and applies what agents' authors wrote, in a thread of its own: a pattern may backtrack for years, and whoever
 * waits for an answer ends this thread then. Takes {schema, value} as JSON texts; without a value the schema is compiled
 * only. Answers {faults} or, where the schema can't be used, {error}.
 */
const mostKept = 100;
let kept = new Map();
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
  const known = kept.get(text);
  if (known) return known;
  if (kept.size >= mostKept) {
    kept = new Map();
    compile = createCompiler({ trusted: false });
  }
  const validate = compile(JSON.parse(text));
  kept.set(text, validate);
  return validate;
}
