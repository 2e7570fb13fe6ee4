import type { ApiContext } from "../../context.ts";
import type { Protocol } from "../../http/protocol.ts";
import { cancelResponse } from "./cancel-response.ts";
import { createChatCompletion } from "./create-chat-completion.ts";
import { createResponse } from "./create-response.ts";
import { deleteResponse } from "./delete-response.ts";
import { getModel } from "./get-model.ts";
import { getResponse } from "./get-response.ts";
import { listInputItems } from "./list-input-items.ts";
import { listModels } from "./list-models.ts";
import { showError } from "./show-error.ts";

/** The base address of OpenAI's libraries is the service's URL and this prefix. */
export const openai: Protocol<ApiContext> = {
  prefix: "/openai/v1",
  operations: [
    listModels,
    getModel,
    createChatCompletion,
    createResponse,
    getResponse,
    cancelResponse,
    deleteResponse,
    listInputItems,
  ],
  showError,
};
