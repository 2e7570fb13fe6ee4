import { z } from "zod";
import { version } from "../../shared/platform/version.ts";
import { defineOperation } from "../http/define-operation.ts";

const service = z
  .object({
    name: z.literal("runfleet"),
    version: z.string(),
    docs: z.string(),
    redoc: z.string(),
    openapi: z.string(),
    health: z.string(),
  })
  .meta({ id: "Service", description: "Paths of this server." });

const body = {
  name: "runfleet",
  version,
  docs: "/docs",
  redoc: "/redoc",
  openapi: "/openapi.json",
  health: "/health",
} as const;

export const getService = defineOperation({
  method: "get",
  path: "/",
  name: "service",
  area: "System",
  scope: "public",
  summary: "The service's name, version and documentation",
  description: "Where a new client starts: it links to the documentation and to the health of the service.",
  responses: { 200: { description: "The service", schema: service, example: { ...body, version: "2.0.0" } } },
  handle: async () => ({ status: 200, body }),
});
