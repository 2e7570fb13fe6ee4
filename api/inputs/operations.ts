import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listRunInputs } from "./list-run-inputs.ts";
import { sendMessage } from "./send-message.ts";
import { sendSignal } from "./send-signal.ts";
import { sendSignedSignal } from "./send-signed-signal.ts";

export const inputsOperations: readonly Operation<ApiContext>[] = [
  sendSignal,
  sendMessage,
  listRunInputs,
  sendSignedSignal,
];
