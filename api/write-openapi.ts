import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { projectFileSchema } from "../shared/schemas/project-file.ts";
import { buildOpenApi } from "./http/openapi.ts";
import { operations } from "./operations.ts";
import { withDocs } from "./system/with-docs.ts";

// `npm run openapi`, from the project's root, writes the OpenAPI document and the schema of runfleet.json to files. With `--check`
// it only checks that the files are up to date.
const files = {
  "docs/openapi.json": buildOpenApi(withDocs(operations)),
  "docs/runfleet.schema.json": projectFileSchema(),
};
mkdirSync("docs", { recursive: true });
for (const [file, document] of Object.entries(files)) {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is out of date. Run: npm run openapi`);
}
