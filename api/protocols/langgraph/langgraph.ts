import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import type { Protocol } from "../../http/protocol.ts";
import { assistantRoutes } from "./assistants.ts";
import { cronRoutes } from "./crons.ts";
import { runRoutes } from "./runs.ts";
import { serverRoutes } from "./server-info.ts";
import { storeRoutes } from "./store.ts";
import { threadRoutes } from "./threads.ts";
import { threadStateRoutes } from "./thread-state.ts";

const prefix = "/langgraph";

/** As LangGraph's server has them. */
const routes: readonly Operation<ApiContext>[] = [
  ...assistantRoutes,
  ...threadRoutes,
  ...threadStateRoutes,
  ...runRoutes,
  ...cronRoutes,
  ...storeRoutes,
  ...serverRoutes,
];

/** LangGraph's server, for `new Client({ apiUrl: url + "/langgraph" })`. Its errors have a `detail`. */
export const langgraph: Protocol<ApiContext> = {
  prefix,
  operations: routes.map((route) => ({ ...route, path: `${prefix}${route.path}`, ignores: "unknown_input" })),
  showError: ({ status, code, message, faults, request_id }) => ({
    status,
    body: faults.length > 0 ? { detail: faults } : { detail: message, code, request_id },
  }),
};
