import type { ApiContext } from "../../context.ts";
import type { Protocol } from "../../http/protocol.ts";
import { createChatCompletion } from "./create-chat-completion.ts";
import { getModel } from "./get-model.ts";
import { listModels } from "./list-models.ts";
import { showError } from "./show-error.ts";

/** The base address of OpenAI's libraries is the service's URL and this prefix. */
export const openai: Protocol<ApiContext> = {
  prefix: "/openai/v1",
  operations: [listModels, getModel, createChatCompletion],
  showError,
};
