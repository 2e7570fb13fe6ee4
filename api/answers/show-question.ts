import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { closedPage, pageAnswer, questionPage, unknownPage } from "./answer-page.ts";
import { findQuestion } from "./find-question.ts";

/** Any text: one that was not signed is no address of a question. */
export const answerParams = z.object({
  token: z.string().meta({ example: "k1.WyJydW5fMDE5YSIsImludF8wMTlhIl0.c2lnbmF0dXJl" }),
});

/** The page that both operations answer an unknown address with. */
export const unknown = { description: "There is no question at this address", content_type: "text/html" };

export const showQuestion = defineOperation({
  method: "get",
  path: "/answer/{token}",
  name: "show_question",
  area: "Runs",
  scope: "public",
  ignores: "unknown_input",
  summary: "The page on which a person answers a run's question",
  description:
    "For people: the address is an interrupt's `answer_url`, and whoever has it may answer. The page shows what the agent asks and a form made from the interrupt's `response_schema`; afterwards it says who answered. Opening it decides nothing, however often and by whatever program.",
  // Mail programs add parameters of their own.
  request: { params: answerParams, query: z.looseObject({}) },
  errors: ["rate_limited", "dependency_unavailable"],
  responses: { 200: { description: "The page", content_type: "text/html" }, 404: unknown },
  async handle(ctx: Pick<ApiContext, "config" | "db" | "guards">, { params: { token }, ip }) {
    // The operation is public, so it is limited by address here.
    await ctx.guards.limiter.count(`ip:${ip}`);
    const question = await findQuestion(ctx, token);
    if (!question) return pageAnswer(404, unknownPage());
    if (!question.is_open) return pageAnswer(200, closedPage(question, false));
    return pageAnswer(200, questionPage(question, question.answer_page === "key", null));
  },
});
