import { z } from "zod";
import { inputLimits } from "../domain/run/journal-limits.ts";
import { field, refuse } from "./field.ts";
import { clientId } from "./primitives.ts";

/** The name of a signal. */
export const inputName = clientId();

export const inputKinds = ["signal", "message"] as const;
export type InputKind = (typeof inputKinds)[number];

/** What was said to a run. Its payload isn't shown. */
export const runInput = z
  .object({
    id: z.string(),
    kind: z.enum(inputKinds),
    name: z.string().nullable().meta({ description: "The signal's. A message has none." }),
    sent_id: z.string().meta({ description: "The sender's id, or `id`." }),
    taken: z.boolean().meta({ description: "The agent's code got it, or gets it next." }),
    accepted_at: z.string(),
  })
  .meta({
    id: "RunInput",
    example: {
      id: "input_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      kind: "signal",
      name: "payment",
      sent_id: "evt_1",
      taken: true,
      accepted_at: "2026-11-23T06:00:00.000Z",
    },
  });
export type RunInput = z.infer<typeof runInput>;

/** Any JSON, of a bounded size. */
const inputPayload = field(
  (value) => {
    const most = inputLimits.payload_bytes;
    const isLarge = Buffer.byteLength(JSON.stringify(value ?? null)) > most;
    return isLarge ? refuse("value_error", `Value error, must be at most ${most} bytes as JSON`) : value;
  },
  { description: "Any JSON." },
);

export const signalRequest = z
  .object({
    payload: inputPayload.optional().meta({ description: "What the agent's `wait_for` returns. Left out: null." }),
    id: clientId().nullish().meta({ description: "The sender's. A signal of the same name and id is kept once." }),
  })
  .meta({ id: "SignalRequest", example: { payload: { amount: 120 }, id: "evt_1" } });

export const messageRequest = z
  .object({
    payload: inputPayload.meta({ description: "What the agent's `new_messages` returns: a text, or any other JSON." }),
    id: clientId().nullish().meta({ description: "The sender's. A message of the same id is kept once." }),
  })
  .meta({ id: "MessageRequest", example: { payload: "Only hotels near the station, please.", id: "msg_1" } });

/** The answer to what was said to a run: it is kept. */
export const acceptedInput = z
  .object({
    id: z.string(),
    accepted_at: z.string(),
    repeated: z.boolean().meta({ description: "The run had it already." }),
  })
  .meta({
    id: "AcceptedInput",
    example: {
      id: "input_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      accepted_at: "2026-11-23T06:00:00.000Z",
      repeated: false,
    },
  });
export type AcceptedInput = z.infer<typeof acceptedInput>;
