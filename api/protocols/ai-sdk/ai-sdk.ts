import type { ApiContext } from "../../context.ts";
import type { Protocol } from "../../http/protocol.ts";
import { showAsText } from "../show-as-text.ts";
import { reconnect } from "./reconnect.ts";
import { sendMessages } from "./send-messages.ts";

/** The `api` of the AI SDK's chat transport is the service's URL, this prefix and an agent. */
export const aiSdk: Protocol<ApiContext> = {
  prefix: "/ai-sdk",
  operations: [sendMessages, reconnect],
  showError: showAsText,
};
