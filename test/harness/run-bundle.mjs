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
// At its end, the functions that every start needs have been compiled.
if (order === "--compile") process.once("exit", () => writeFileSync(cacheFile, script.createCachedData()));
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(import.meta.url), module, file, dirname(file), (name) =>
  import.meta.resolve(name),
);
