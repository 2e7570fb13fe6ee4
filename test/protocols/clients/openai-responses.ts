import OpenAI from "openai";
import { lossyFetch } from "../lossy-fetch.ts";
import type { Heard, ProtocolClient } from "../protocol-client.ts";

type Event = OpenAI.Responses.ResponseStreamEvent;

/** OpenAI's responses: each goes on from the previous one. */
export const openaiResponses: ProtocolClient = {
  protocol: "OpenAI responses",
  refusals: {
    unknownAgent: { status: 404, code: "model_not_found", param: "model" },
    wrongKey: { status: 401, code: "invalid_api_key" },
    fullQueue: { status: 429, code: "agent_queue_full" },
  },
  connect({ url, agent: model, key, fetch }) {
    const connectOver = (over: typeof fetch) =>
      new OpenAI({ apiKey: key, baseURL: `${url}/openai/v1`, maxRetries: 0, fetch: over });
    const client = connectOver(fetch);
    let previous: OpenAI.Responses.Response | null = null;

    async function ask(input: OpenAI.Responses.ResponseInput): Promise<Heard> {
      const stream = client.responses.stream({ model, input, previous_response_id: previous?.id ?? null });
      previous = await stream.finalResponse();
      return heardIn(previous);
    }
    return {
      say: (prompt) => ask([{ role: "user", content: prompt }]),
      answer(value) {
        const call = previous?.output.find((item) => item.type === "function_call");
        return ask([{ type: "function_call_output", call_id: call?.call_id ?? "", output: value }]);
      },
      async sayOverCuts(prompt) {
        const seen: Event[] = [];
        let cuts = 0;
        const client = connectOver(lossyFetch(fetch, () => 10));
        let stream = await client.responses.create({ model, input: prompt, stream: true, background: true });
        for (;;) {
          try {
            for await (const event of stream) seen.push(event);
            break;
          } catch {
            cuts += 1;
            const [created] = seen;
            const id = created?.type === "response.created" ? created.response.id : "";
            const starting_after = seen.at(-1)?.sequence_number ?? 0;
            stream = await client.responses.retrieve(id, { stream: true, starting_after });
          }
        }
        if (seen.some(({ sequence_number }, index) => sequence_number !== index)) throw new Error("There is a gap.");
        const last = seen.at(-1);
        if (last?.type !== "response.completed") throw new Error("The response is not complete.");
        const text = seen.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
        return { ...heardIn(last.response), text, cuts };
      },
      async stop(prompt) {
        const stream = await client.responses.create({ model, input: prompt, stream: true, background: true });
        for await (const event of stream) {
          if (event.type !== "response.output_text.delta") continue;
          const { id, status } = await client.responses.cancel(event.item_id.replace(/^msg_(.+)_\d+$/, "$1"));
          if (status !== "cancelled") throw new Error(`The response ${id} is ${status}.`);
          break;
        }
      },
    };
  },
};

function heardIn({ output }: OpenAI.Responses.Response): Heard {
  const text = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const calls = output.flatMap((item) => (item.type === "mcp_call" ? [item] : []));
  const [asked] = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
  return {
    text: text.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    tools: calls.map(({ name, output: result }) => ({ name, result: JSON.parse(result ?? "null") as unknown })),
    question: asked ? (JSON.parse(asked.arguments) as { message: string }).message : null,
  };
}
