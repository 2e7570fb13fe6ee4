import { z } from "zod";
import { removeRun } from "../../../shared/services/runs/remove-run.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { responseParams } from "./get-response.ts";
import { parseResponseId } from "./response-id.ts";

export const deleteResponse = defineOperation({
  method: "delete",
  path: "/openai/v1/responses/{response_id}",
  name: "openai_delete_response",
  area: "OpenAI",
  scope: "runs:write",
  audit: "run",
  ignores: "unknown_input",
  summary: "Delete a response's run, which has ended",
  request: { params: responseParams },
  errors: ["run_not_found", "run_not_ended", "parent_not_ended"],
  responses: { 200: { description: "Deleted", schema: z.unknown() } },
  async handle(ctx: Pick<ApiContext, "db" | "streams" | "queue" | "log">, { params: { response_id: id }, caller }) {
    await removeRun(ctx, parseResponseId(id).run_id, caller);
    return { status: 200, body: { id, object: "response.deleted", deleted: true } };
  },
});
