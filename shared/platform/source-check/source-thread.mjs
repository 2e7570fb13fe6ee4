import { createRequire } from "node:module";
import { Script } from "node:vm";
import { parentPort } from "node:worker_threads";

/*
 * Finds syntax errors in agents' sources, by parsers that are WebAssembly: nothing of a source is executed. It runs in a thread
 * of its own, which is ended when it takes too long. Takes a list of {name, text}, whose language is told by the name. Answers
 * {faults: [{name, line, column, message}]}, at most one a file.
 */
const load = createRequire(import.meta.url);

/** Rules of Ruff for what Python's compiler refuses beside its grammar. */
const syntaxRules = [
  "F404",
  "F407",
  "F622",
  "F701",
  "F702",
  "F704",
  "F706",
  "PLE0115",
  "PLE0117",
  "PLE0118",
  "PLE1142",
];

let ruff;
let swc;

function pythonFault(text) {
  const { Workspace, PositionEncoding } = load("@astral-sh/ruff-wasm-nodejs");
  // The newest version: which Python runs the code is the worker's matter.
  ruff ??= new Workspace({ "target-version": "py314", lint: { select: syntaxRules } }, PositionEncoding.Utf16);
  const [first] = ruff
    .check(text)
    .filter(({ code }) => code === "invalid-syntax" || syntaxRules.includes(code))
    .map(({ message, start_location: { row, column } }) => ({ line: row, column, message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return first ?? null;
}

function scriptFault(name, text) {
  swc ??= load("@swc/wasm-typescript").transformSync;
  const isTypeScript = /\.[mc]?ts$/.test(name);
  try {
    swc(text, {
      mode: "transform",
      filename: name,
      parser: { syntax: "typescript", tsx: !isTypeScript, decorators: true },
    });
    return null;
  } catch (error) {
    if (typeof error?.startLine !== "number") throw error;
    if (/\.c?js$/.test(name) && isCommonJs(text)) return null;
    return { line: error.startLine, column: error.startColumn + 1, message: error.message };
  }
}

/** True for what Node accepts as a CommonJS module, such as a `return` at its top. The script is compiled, not run. */
function isCommonJs(text) {
  try {
    return Boolean(
      new Script(`(function (exports, require, module, __filename, __dirname) {${text.replace(/^#!.*/, "")}\n})`),
    );
  } catch {
    return false;
  }
}

parentPort?.on("message", (sources) => {
  let isSpent = false;
  const faults = sources.flatMap(({ name, text }) => {
    try {
      const fault = name.endsWith(".py") ? pythonFault(text) : scriptFault(name, text);
      return fault ? [{ name, ...fault, message: String(fault.message).slice(0, 500) }] : [];
    } catch {
      // A parser that has overflowed its stack must not be used again. Whether the source is wrong isn't known.
      isSpent = true;
      return [];
    }
  });
  parentPort?.postMessage({ faults });
  if (isSpent) process.exit();
});
parentPort?.postMessage("ready");
