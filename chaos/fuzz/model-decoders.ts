import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { meterAnswer } from "../../gateway/meter/meter-response.ts";
import { prepareBody, type Protocol, readRequestBounds, readRequest } from "../../gateway/meter/protocol.ts";
import type { OpenConnection } from "../../shared/schemas/gateway.ts";
import { callAsked, callEnded } from "../../shared/schemas/gateway.ts";
import { type Decoder, must, samplesOf } from "./decoder.ts";

const protocols: readonly Protocol[] = ["chat", "responses", "anthropic", "google"];
const connection = { preset: "openai" } as OpenConnection;

export const modelRequests: Decoder = {
  name: "requests to models",
  weight: 40,
  samples: samplesOf(
    '{"model":"gpt-5-mini","stream":true,"stream_options":{"include_usage":false},"messages":[{"role":"user","content":"x"}],"n":2}',
    '{"model":"m","input":"x","max_output_tokens":1e30,"background":true}',
    '{"contents":[{"parts":[{"text":"x"}]}],"generationConfig":{"maxOutputTokens":5,"candidateCount":"2"}}',
  ),
  read(input) {
    const body = readRequest(input);
    if (!body) return;
    for (const protocol of protocols) {
      const { is_deferred: _, ...asked } = readRequestBounds(protocol, body, "/v1beta/models/m:generateContent");
      const where = {
        connection: "c",
        method: "POST",
        host: "h",
        path: "/",
        is_metered: true,
        is_spending: false,
        record: null,
        approval: null,
      };
      must(callAsked.safeParse({ ...where, ...asked }).success, "figures that the worker takes");
      const { changed } = prepareBody(protocol, body, { connection, output_most: 5 });
      must(JSON.stringify(changed).length > 0, "JSON");
    }
  },
};

export const modelAnswers: Decoder = {
  name: "answers of models",
  weight: 40,
  samples: samplesOf(
    'data: {"model":"m","choices":[{"delta":{"content":"x"}}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n',
    'event: message_start\r\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\r\n\r\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    '{"model":"m","usage":{"prompt_tokens":-1,"completion_tokens":1e300,"prompt_tokens_details":{"cached_tokens":"x"}}}',
    '[{"usageMetadata":{"promptTokenCount":1}},{"usageMetadata":{"candidatesTokenCount":2}}]',
  ),
  async read(input) {
    for (const protocol of protocols)
      for (const isStream of [false, true]) {
        const { stream, reading } = meterAnswer({ protocol, isStream, dropsUsage: false, pace: (act) => act() });
        const parts = [input.subarray(0, input.length >> 1), input.subarray(input.length >> 1)];
        const passed = await buffer(Readable.from(parts).pipe(stream));
        must(passed.equals(input), "the same bytes");
        const { bytes: response_bytes, model, usage, pieces, isWhole: is_whole } = reading;
        const told = {
          status: 200,
          request_bytes: 0,
          response_bytes,
          model,
          usage,
          pieces,
          is_whole,
          is_delivered: true,
          is_lost: false,
          failed: null,
        };
        must(callEnded.safeParse(told).success, "figures that the worker takes");
      }
  },
};
