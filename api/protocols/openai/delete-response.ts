import { z } from "zod";
import { conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { deleteRun } from "../../../shared/store/runs/delete-run.ts";
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
  errors: ["run_not_found", "run_not_ended"],
  responses: { 200: { description: "Deleted", schema: z.unknown() } },
  async handle({ db, streams }: Pick<ApiContext, "db" | "streams">, { params: { response_id: id }, caller }) {
    const { run_id } = parseResponseId(id);
    const done = await deleteRun(db, run_id, caller.owner);
    if (done === "missing") throw notFound("run", id);
    if (done === "not_ended") throw conflict("run_not_ended", "The response has not ended. Cancel it first.");
    await streams.forget(run_id).catch(() => undefined);
    return { status: 200, body: { id, object: "response.deleted", deleted: true } };
  },
});
