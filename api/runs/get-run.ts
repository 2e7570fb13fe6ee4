import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type RunRecord, runRecord } from "../../shared/schemas/run.ts";
import { covers } from "../../shared/schemas/scope.ts";
import { answerUrlOf } from "../../shared/services/runs/answer-url.ts";
import { readQuestion } from "../../shared/store/runs/questions/read-question.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const getRun = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}",
  name: "get_run",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's record",
  description:
    "Use it for a run's result, its error, or the question that it waits with. `GET /v1/runs/{run_id}/stream` follows it instead.",
  request: { params: runParams },
  responses: { 200: { description: "The run", schema: runRecord } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params, caller }) {
    const body = await readRun(db, params.run_id, caller.owner);
    if (!body) throw notFound("run", params.run_id);
    const mayAnswer = caller.run_id === null && covers(caller.scopes, "runs:write");
    return { status: 200, body: mayAnswer ? await withAnswerUrls({ db, config }, body) : body };
  },
});

/** Adds the addresses of the pages on which a person answers, unless the run's config has `answer_page: off`. */
async function withAnswerUrls({ db, config }: Pick<ApiContext, "config" | "db">, run: RunRecord): Promise<RunRecord> {
  const told = run.interrupts.map(async (interrupt) => {
    const place = { run_id: run.id, interrupt_id: interrupt.id };
    const question = await readQuestion(db, place.run_id, place.interrupt_id);
    return question?.answer_page === "off" ? interrupt : { ...interrupt, answer_url: answerUrlOf(config, place) };
  });
  return { ...run, interrupts: await Promise.all(told) };
}
