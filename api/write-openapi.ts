import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { buildOpenApi } from "./http/openapi.ts";
import { operations } from "./operations.ts";
import { withDocs } from "./system/with-docs.ts";

const file = "docs/openapi.json";

// `npm run openapi`, from the project's root, writes the OpenAPI document to a file. With `--check` it only checks that the file
// is up to date.
const text = `${JSON.stringify(buildOpenApi(withDocs(operations)), null, 2)}\n`;
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is out of date. Run: npm run openapi`);
} else {
  mkdirSync("docs", { recursive: true });
  writeFileSync(file, text);
}
