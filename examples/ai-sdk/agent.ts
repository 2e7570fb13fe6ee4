import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";

const provider = createOpenAICompatible({
  name: "openai",
  baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  apiKey: process.env.OPENAI_API_KEY,
  includeUsage: true,
});

const weather = tool({
  description: "Tells the weather of a city.",
  inputSchema: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
  execute: async ({ city }) => `It is sunny in ${city}.`,
});

/** What streamText returns is streamed: its text, its tool calls and its usage. */
export function main({ question }: { question: string }) {
  return streamText({
    model: provider(process.env.MODEL ?? "gpt-5-mini"),
    prompt: question,
    tools: { weather },
    stopWhen: stepCountIs(5),
  });
}
