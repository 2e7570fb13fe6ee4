import { readFileSync, writeFileSync } from "node:fs";
import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { readDocument, readOperations } from "./generator/document.ts";
import { emitPythonOperations, emitPythonTypes, withoutAsync } from "./generator/emit-python.ts";
import { emitOperations, emitTypes } from "./generator/emit-typescript.ts";

/**
 * `npm run openapi`, from the project's root, writes what the clients have from docs/openapi.json, too. With `--check` this only
 * checks that the files are up to date. Python's client that doesn't await is made of the one that does.
 */
const document = readDocument(readFileSync("docs/openapi.json", "utf8"));
const { schemas } = document.components;
const operations = readOperations(document);
const python = "sdk/python/runfleet_sdk";
const ruff = new Workspace({ "line-length": 120, "target-version": "py39" }, PositionEncoding.Utf16);
const files: Record<string, string> = {
  "sdk/ts/generated/types.ts": emitTypes(schemas),
  "sdk/ts/generated/operations.ts": emitOperations(operations),
  [`${python}/_generated.py`]: ruff.format(emitPythonTypes(schemas)),
  [`${python}/_async/resources.py`]: ruff.format(emitPythonOperations(operations, schemas)),
};
for (const module of ["client", "pages", "resource", "resources", "run", "stream", "transport"]) {
  const path = `${python}/_async/${module}.py`;
  files[`${python}/_sync/${module}.py`] = ruff.format(withoutAsync(files[path] ?? readFileSync(path, "utf8")));
}

for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) throw new Error(`${path} is out of date. Run: npm run openapi`);
}
