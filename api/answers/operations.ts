import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { answerQuestion } from "./answer-question.ts";
import { showQuestion } from "./show-question.ts";

export const answersOperations: readonly Operation<ApiContext>[] = [showQuestion, answerQuestion];
