import { z } from "zod";
import { acceptedInput, messageRequest } from "../../shared/schemas/run-input.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { type InputDeps, inputErrors, sendInput } from "../../shared/services/inputs/send-input.ts";
import { defineOperation } from "../http/define-operation.ts";

export const sendMessage = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/messages",
  name: "send_message",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Say something to a run",
  description:
    "What the agent's next `context.new_messages()` returns: the run goes on meanwhile, and a run that waits is not woken. 202 means kept: a message that comes before the agent looks waits, and one that the agent never looked for is listed by `GET /v1/runs/{run_id}/inputs?untaken=true`. Only a run that has ended takes none.",
  request: {
    params: z.object({ run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }) }),
    body: messageRequest,
  },
  errors: inputErrors,
  responses: { 202: { description: "The message is kept", schema: acceptedInput } },
  async handle(ctx: InputDeps, { params: { run_id }, body: { payload, id = null }, caller }) {
    const said = { run_id, kind: "message", name: "", sent_id: id, payload, by: caller.actor } as const;
    return { status: 202, body: await sendInput(ctx, caller.owner, said) };
  },
});
