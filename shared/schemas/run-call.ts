import { z } from "zod";

/** How a call's tokens are known. */
export const callCount = z.enum(["metered", "estimated", "unknown"]);

const micro = z.number().int().nullable();

/** A call of a run to one of its connections, as the gateway saw it. */
export const runCall = z
  .object({
    id: z.string(),
    object: z.literal("call"),
    run_id: z.string(),
    attempt: z.number().int(),
    call: z.number().int().meta({ description: "The number of the call in its attempt." }),
    connection: z.string(),
    method: z.string(),
    host: z.string(),
    path: z.string(),
    status: z.number().int().nullable().meta({ description: "Null: the service didn't answer." }),
    model: z.string().nullable(),
    counted: callCount.nullable().meta({
      description:
        "metered: the service's own count. estimated: the answer was cut, or doesn't tell its usage. unknown: the call left and wasn't answered, and isn't billed. Null: the call has no tokens.",
    }),
    input_tokens: z.number().int(),
    cached_tokens: z.number().int().meta({ description: "Of the input: what the service had in its cache." }),
    output_tokens: z.number().int(),
    cost_micro_usd: micro.meta({ description: "Null: the model's price isn't known." }),
    request_bytes: z.number().int(),
    response_bytes: z.number().int(),
    duration_ms: z.number().int(),
    recorded: z.boolean().meta({ description: "The answer came from the run's journal: nothing was sent." }),
    created_at: z.string().meta({ description: "When it ended." }),
  })
  .meta({
    id: "RunCall",
    example: {
      id: "call_5f1c0c9e2b7a4d3e8f60a1b2c3d4e5f6",
      object: "call",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      attempt: 1,
      call: 1,
      connection: "openai",
      method: "POST",
      host: "api.openai.com",
      path: "/v1/responses",
      status: 200,
      model: "gpt-5-mini",
      counted: "metered",
      input_tokens: 812,
      cached_tokens: 0,
      output_tokens: 64,
      cost_micro_usd: 331,
      request_bytes: 3120,
      response_bytes: 1544,
      duration_ms: 1204,
      recorded: false,
      created_at: "2026-11-23T10:00:00.000Z",
    },
  });
export type RunCall = z.infer<typeof runCall>;
