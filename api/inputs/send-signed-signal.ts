import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { inputLimits } from "../../shared/domain/run/journal-limits.ts";
import { readSignedPath } from "../../shared/platform/secrets/signed-path.ts";
import { acceptedInput } from "../../shared/schemas/run-input.ts";
import { type InputDeps, inputErrors, sendInput } from "../../shared/services/inputs/send-input.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readForeignBody } from "../http/read-foreign-body.ts";

/** Any text: one that was not signed is no address of ours. */
const params = z.object({ token: z.string().meta({ example: "k1.WyJydW5fMDE5YSIsInBheW1lbnQiXQ.c2lnbmF0dXJl" }) });
/** By which a sender tells its repeats. */
const idHeader = "idempotency-key";

export const sendSignedSignal = defineOperation({
  method: "post",
  path: "/signal/{token}",
  name: "send_signed_signal",
  area: "Runs",
  scope: "public",
  audit: { none: "The run's inputs are the record, and its timeline names the address." },
  ignores: "unknown_input",
  summary: "Send a run a signal by an address",
  description: `The address is what the agent's \`context.signal_url(name)\` returned, and whoever has it may send that signal, until the address expires or the run ends. The body is the payload: JSON, a form, or text, of at most ${inputLimits.payload_bytes} bytes. The same \`Idempotency-Key\` again changes nothing.`,
  request: {
    params,
    query: z.looseObject({}),
    headers: z.looseObject({
      [idHeader]: z
        .string()
        .max(128)
        .optional()
        .meta({ description: "The sender's id of this signal. The same id again changes nothing." }),
      "content-type": z.string().optional().meta({ description: "Says whether the body is JSON, a form or text." }),
    }),
  },
  rawBody: { most_bytes: inputLimits.payload_bytes, most_ms: 15_000 },
  errors: ["address_not_found", "rate_limited", "dependency_unavailable", ...inputErrors],
  responses: { 202: { description: "The signal is kept", schema: acceptedInput } },
  async handle(ctx: InputDeps & Pick<ApiContext, "config" | "guards">, { params: { token }, headers, body, ip }) {
    // The operation is public, so it is limited by address here.
    await ctx.guards.limiter.count(`ip:${ip}`);
    const [run_id, name, expires_at] = readSignedPath(ctx.config.encryptionKeys, "signal", token) ?? [];
    if (run_id === undefined || name === undefined || Number(expires_at) < Date.now())
      throw notFound("address", token.slice(0, 16));
    const payload = readForeignBody(body, textOf(headers["content-type"]));
    if (Buffer.byteLength(JSON.stringify(payload)) > inputLimits.payload_bytes) throw tooLarge();
    const sent_id = textOf(headers[idHeader]) || null;
    const said = { run_id, kind: "signal", name, sent_id, payload, by: "signal address" } as const;
    return { status: 202, body: await sendInput(ctx, null, said) };
  },
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const tooLarge = () =>
  new ValidationFault([
    {
      type: "value_error",
      loc: ["body"],
      msg: `Value error, must be at most ${inputLimits.payload_bytes} bytes as JSON`,
    },
  ]);
