import { z } from "zod";
import { projectFileSchema } from "../../shared/schemas/project-file.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { type Operation, defineOperation } from "../http/define-operation.ts";
import { buildOpenApi } from "../http/openapi.ts";
import { readDocsAsset, redocPage, swaggerPage } from "./docs-assets.ts";

/** Both pages create styles while they run. ReDoc creates a worker for its search. */
const pagePolicy = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'; base-uri 'none'",
};

const htmlPage = (name: string, path: string, summary: string, html: string): Operation<unknown> =>
  defineOperation({
    method: "get",
    path,
    name,
    area: "System",
    scope: "public",
    summary,
    description: "For people: a page that shows this document.",
    responses: { 200: { description: "The page", content_type: "text/html" } },
    handle: async () => ({
      status: 200,
      content_type: "text/html; charset=utf-8",
      text: html,
      headers: pagePolicy,
    }),
  });

const docsAsset = defineOperation({
  method: "get",
  path: "/docs/assets/{name}",
  name: "docs_asset",
  area: "System",
  scope: "public",
  summary: "A file of the documentation pages",
  description: "Used by the pages `/docs` and `/redoc`.",
  request: { params: z.object({ name: text({ max: 64 }).meta({ example: "redoc.standalone.js" }) }) },
  errors: ["asset_not_found"],
  responses: { 200: { description: "The file", content_type: "*/*" } },
  handle: async (_ctx: unknown, { params }) => {
    const { type, bytes } = await readDocsAsset(params.name);
    return { status: 200, content_type: type, text: bytes, headers: { "Cache-Control": "public, max-age=3600" } };
  },
});

const configSchema = defineOperation({
  method: "get",
  path: "/runfleet.schema.json",
  name: "config_schema",
  area: "System",
  scope: "public",
  summary: "The JSON Schema of runfleet.json",
  description: "Name it as `$schema` in an agent's runfleet.json: editors complete and check the file then.",
  responses: {
    200: { description: "JSON Schema, draft 7", content_type: "application/json", example: { title: "runfleet.json" } },
  },
  handle: async () => ({ status: 200, content_type: "application/json", text: JSON.stringify(projectFileSchema()) }),
});

/** Returns the operations together with those that serve their documentation. */
export function withDocs<C>(operations: readonly Operation<C>[]): Operation<C>[] {
  // Made when it is first asked for: it takes a quarter of the time that the API needs to start.
  let document: string | undefined;
  const openapi = defineOperation({
    method: "get",
    path: "/openapi.json",
    name: "openapi",
    area: "System",
    scope: "public",
    summary: "This document",
    description: "Use it to generate a client. `x-event-schema` says what the events of a stream are.",
    responses: { 200: { description: "OpenAPI 3.1", content_type: "application/json", example: { openapi: "3.1.0" } } },
    handle: async () => ({
      status: 200,
      content_type: "application/json",
      text: (document ??= JSON.stringify(buildOpenApi(all))),
    }),
  });
  const all: Operation<C>[] = [
    ...operations,
    openapi,
    configSchema,
    htmlPage("docs", "/docs", "Swagger UI", swaggerPage),
    htmlPage("redoc", "/redoc", "ReDoc", redocPage),
    docsAsset,
  ];
  return all;
}
