import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/** `node run-bundle.mjs <bundle>` runs a bundle with the code that V8 compiled before; with `--compile` that code is kept. */
const [, , file, order] = process.argv;
const cacheFile = `${file}.cache`;
const parameters = "exports, require, module, __filename, __dirname, resolveImport";
const script = new Script(`(function (${parameters}) {${readFileSync(file, "utf8")}\n})`, {
  filename: file,
  ...(order !== "--compile" && { cachedData: readFileSync(cacheFile) }),
});
// Options of V8 that weren't there when the code was kept would make it useless, and a start three times as dear.
if (script.cachedDataRejected && !process.env["NODE_OPTIONS"]) throw new Error(`${cacheFile} is of no use.`);
// At its end, the functions that every start needs have been compiled.
if (order === "--compile") process.once("exit", () => writeFileSync(cacheFile, script.createCachedData()));
// As newer versions of Node have it. Without it, `pg` asks `Response` what it runs on, and all of fetch is loaded for that.
globalThis.navigator ??= { userAgent: "Node.js" };
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(import.meta.url), module, file, dirname(file), (name) =>
  import.meta.resolve(name),
);
