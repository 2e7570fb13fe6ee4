import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { notFound } from "../../shared/domain/errors/app-error.ts";

const { resolve } = createRequire(import.meta.url);

const script = "text/javascript; charset=utf-8";
const assets = new Map([
  ["swagger-ui.css", { from: "swagger-ui-dist/swagger-ui.css", type: "text/css; charset=utf-8" }],
  ["swagger-ui-bundle.js", { from: "swagger-ui-dist/swagger-ui-bundle.js", type: script }],
  ["favicon-32x32.png", { from: "swagger-ui-dist/favicon-32x32.png", type: "image/png" }],
  ["redoc.standalone.js", { from: "#vendor/redoc/redoc.standalone.js", type: script }],
]);

const startSwagger = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;
const startRedoc = `Redoc.init("/openapi.json", {}, document.getElementById("docs"));\n`;
const starters = new Map([
  ["start-swagger.js", startSwagger],
  ["start-redoc.js", startRedoc],
]);

/** Returns a file of the documentation pages. All files are served from here, so the pages work offline. Throws not_found. */
export async function readDocsAsset(name: string): Promise<{ type: string; bytes: Buffer }> {
  const starter = starters.get(name);
  if (starter) return { type: script, bytes: Buffer.from(starter) };
  const asset = assets.get(name);
  if (!asset) throw notFound("asset", name);
  return { type: asset.type, bytes: await readFile(resolve(asset.from)) };
}

const page = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
${head}</head>
<body>
<div id="docs"></div>
${body}</body>
</html>
`;

const scripts = (...names: string[]) => names.map((name) => `<script src="/docs/assets/${name}"></script>\n`).join("");

export const swaggerPage = page(
  "Runfleet - Swagger UI",
  `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">\n`,
  scripts("swagger-ui-bundle.js", "start-swagger.js"),
);

export const redocPage = page("Runfleet - ReDoc", "", scripts("redoc.standalone.js", "start-redoc.js"));
