import { z } from "zod";
import { acceptedInput, inputName, signalRequest } from "../../shared/schemas/run-input.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { type InputDeps, inputErrors, sendInput } from "../../shared/services/inputs/send-input.ts";
import { defineOperation } from "../http/define-operation.ts";

export const sendSignal = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/signals/{name}",
  name: "send_signal",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Send a run a signal",
  description:
    "What the agent's `context.wait_for(name)` waits for. 202 means kept: a signal that comes early waits, and one that nothing takes is listed by `GET /v1/runs/{run_id}/inputs?untaken=true`. The oldest wait for a name gets the next signal of that name. Only a run that has ended takes none.",
  request: {
    params: z.object({
      run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }),
      name: inputName.meta({ example: "payment" }),
    }),
    body: signalRequest,
  },
  errors: inputErrors,
  responses: { 202: { description: "The signal is kept", schema: acceptedInput } },
  async handle(ctx: InputDeps, { params: { run_id, name }, body: { payload, id = null }, caller }) {
    const said = { run_id, kind: "signal", name, sent_id: id, payload, by: caller.actor } as const;
    return { status: 202, body: await sendInput(ctx, caller.owner, said) };
  },
});
