import { z } from "zod";
import { text } from "../../../shared/schemas/primitives.ts";
import { version } from "../../../shared/platform/version.ts";
import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import { defineRoute, notHere } from "./define-route.ts";

const info = defineRoute({
  method: "get",
  path: "/info",
  name: "get_info",
  scope: "public",
  handle: () =>
    Promise.resolve({
      status: 200,
      body: { version, flags: { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false } },
    }),
});

const ok = defineRoute({
  method: "get",
  path: "/ok",
  name: "get_ok",
  scope: "public",
  handle: () => Promise.resolve({ status: 200, body: { ok: true } }),
});

const getComponent = defineRoute({
  method: "post",
  path: "/ui/{agent_id}",
  name: "get_ui_component",
  scope: "agents:read",
  request: { params: z.object({ agent_id: text({ max: 512 }) }) },
  handle: () => Promise.reject(notHere("Agents have no user interface components.")),
});

export const serverRoutes: readonly Operation<ApiContext>[] = [info, ok, getComponent];
