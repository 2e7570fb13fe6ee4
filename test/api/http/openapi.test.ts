import { expect, it } from "vitest";
import { z } from "zod";
import { defineOperation } from "../../../api/http/define-operation.ts";
import { buildOpenApi } from "../../../api/http/openapi.ts";
import { samples } from "./samples.ts";

const document = buildOpenApi(samples);
const at = (...path: string[]) => path.reduce<unknown>((json, key) => (json as Record<string, unknown>)[key], document);

it("has FastAPI's own components for a 422", () => {
  // As fastapi 0.142.2 generates them.
  expect(at("components", "schemas", "HTTPValidationError")).toMatchObject({
    properties: { detail: { items: { $ref: "#/components/schemas/ValidationError" }, type: "array" } },
  });
  expect(at("components", "schemas", "ValidationError")).toMatchObject({
    properties: { loc: { items: { anyOf: [{ type: "string" }, { type: "integer" }] }, type: "array" } },
    required: ["loc", "msg", "type"],
  });
});

it("documents a body by name, with its defaults and examples, and what it answers", () => {
  expect(at("paths", "/v1/runs", "post")).toEqual({
    tags: ["Runs"],
    summary: "Start a run",
    description: "Starts it.",
    operationId: "start_run_v1_runs_post",
    parameters: [{ name: "idempotency-key", in: "header", required: false, schema: { type: "string", maxLength: 64 } }],
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/StartRun" } } },
    },
    responses: {
      201: {
        description: "The run, and what came in",
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { run: { $ref: "#/components/schemas/Run" }, got: {} },
              required: ["run", "got"],
            },
          },
        },
      },
      400: { $ref: "#/components/responses/body_incomplete.content_encoding_not_supported" },
      413: { $ref: "#/components/responses/payload_too_large" },
      422: { $ref: "#/components/responses/validation_error" },
      503: { $ref: "#/components/responses/too_many_bodies" },
      default: { $ref: "#/components/responses/any_other" },
    },
  });
  expect(at("components", "schemas", "StartRun")).toMatchObject({
    required: ["id"],
    properties: { priority: { type: "integer", minimum: 0, maximum: 9, default: 5 } },
    examples: [{ id: "r1" }],
  });
});

it("documents parameters with what they mean, and streams by their type", () => {
  expect(at("paths", "/v1/runs", "get", "parameters", "0")).toEqual({
    name: "limit",
    in: "query",
    required: false,
    description: "The largest number of things to return.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  });
  expect(at("paths", "/stream", "get", "responses", "200", "content")).toEqual({
    "text/event-stream": { schema: { type: "string" }, example: "data: 1\n\n" },
  });
});

it("documents a fault by its status, with what each code means and looks like", () => {
  expect(at("paths", "/v1/runs/{run_id}", "get", "responses", "404")).toEqual({
    $ref: "#/components/responses/run_not_found",
  });
  expect(at("components", "responses", "run_not_found")).toEqual({
    description: "- `run_not_found`: No run with this id.",
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: {
          run_not_found: {
            value: { detail: "No run with this id.", code: "run_not_found", request_id: "req_019aa5f0c1d2" },
          },
        },
      },
    },
  });
});

it("refuses two shapes under one name", () => {
  const named = (n: number, shape: z.ZodRawShape) =>
    defineOperation({
      method: "get",
      path: `/${n}`,
      name: "x",
      area: "X",
      scope: "public",
      summary: "X",
      responses: { 200: { description: "X", schema: z.object(shape).meta({ id: `Twin${n > 0}` }) } },
      handle: async () => ({ status: 200, body: {} }),
    });
  expect(() => buildOpenApi([named(1, { a: z.string() }), named(2, { a: z.number() })])).toThrow("named Twintrue");
});
