import OpenAI from "openai";
import type { Heard, ProtocolClient } from "../protocol-client.ts";

type Message = OpenAI.ChatCompletionMessageParam;
type Told = OpenAI.ChatCompletionChunk & { runfleet?: { type: string; name?: string; result?: unknown } };

/** OpenAI's chat completions: the client sends all messages each time. */
export const openaiChat: ProtocolClient = {
  protocol: "OpenAI chat completions",
  refusals: {
    unknownAgent: { name: "Error", status: 404, code: "model_not_found", param: "model" },
    wrongKey: { status: 401, code: "invalid_api_key" },
    fullQueue: { status: 429, code: "agent_queue_full" },
  },
  without: { cuts: "a chat completion can't be read again" },
  connect({ url, agent: model, key, fetch }) {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/openai/v1`, maxRetries: 0, fetch });
    const messages: Message[] = [];

    async function ask(message: Message): Promise<Heard> {
      messages.push(message);
      const tools: Heard["tools"] = [];
      const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
      stream.on("chunk", ({ runfleet: told }: Told) => {
        if (told?.type === "tool.start") tools.push({ name: told.name ?? "", result: undefined });
        const open = tools.at(-1);
        if (told?.type === "tool.end" && open) open.result = told.result;
      });
      const said = (await stream.finalChatCompletion()).choices[0]?.message;
      if (!said) throw new Error("There is no answer.");
      messages.push(said);
      const [call] = said.tool_calls ?? [];
      const question = call?.type === "function" ? (JSON.parse(call.function.arguments) as { message: string }) : null;
      const text = said.content ?? "";
      // The question is in the text, too, for clients that only show that.
      return question
        ? { text: text.slice(0, -question.message.length), tools, question: question.message }
        : { text, tools, question: null };
    }
    return {
      say: (prompt) => ask({ role: "user", content: prompt }),
      answer(value) {
        const last = messages.at(-1);
        const [call] = (last?.role === "assistant" && last.tool_calls) || [];
        return ask({ role: "tool", tool_call_id: call?.id ?? "", content: value });
      },
      sayOverCuts: () => Promise.reject(new Error("A chat completion can't be read again.")),
      async stop(prompt) {
        const stream = await client.chat.completions.create({
          model,
          messages: [{ role: "user", content: prompt }],
          stream: true,
        });
        for await (const { choices } of stream) if (choices[0]?.delta.content) break;
      },
    };
  },
};
