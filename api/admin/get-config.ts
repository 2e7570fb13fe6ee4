import { serviceConfig } from "../../shared/schemas/admin.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getConfig = defineOperation({
  method: "get",
  path: "/v1/admin/config",
  name: "get_config",
  area: "Admin",
  scope: "admin",
  summary: "The variables that this API runs with",
  description:
    "Use it to see which limits hold, and what was set. Values that may be secrets are not shown, only whether they are set. Workers have variables of their own.",
  responses: { 200: { description: "The variables, by name", schema: serviceConfig } },
  handle: ({ config }: Pick<ApiContext, "config">) =>
    Promise.resolve({ status: 200 as const, body: { object: "config" as const, data: config.settings } }),
});
