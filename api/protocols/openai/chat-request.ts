import { z } from "zod";
import { labelledMetadata } from "../../../shared/schemas/labels.ts";
import { choice, laxBool, laxInt, text } from "../../../shared/schemas/primitives.ts";

const message = z
  .looseObject({ role: text({ min: 1, max: 64 }), tool_call_id: text({ max: 512 }).optional() })
  .transform(({ content = null, ...rest }) => ({ ...rest, content }));

/** The body of POST /chat/completions. Fields that are not read here reach the agent as `params`. */
export const chatRequest = z
  .looseObject({
    model: text({ min: 1, max: 256 }).meta({ description: "`agent`, `agent@tag` or `agent@1.2.0`" }),
    messages: z.array(message).min(1).max(10_000),
    stream: laxBool().nullish(),
    stream_options: z.looseObject({ include_usage: laxBool().nullish() }).nullish(),
    n: laxInt({ ge: 1, le: 1 }).nullish(),
    modalities: z.array(choice(["text"])).nullish(),
    user: text({ max: 512 }).nullish(),
    metadata: labelledMetadata().nullish(),
  })
  .meta({ id: "OpenAiChatRequest", example: { model: "hello-agent", messages: [{ role: "user", content: "Hi" }] } });
export type ChatRequest = z.infer<typeof chatRequest>;
