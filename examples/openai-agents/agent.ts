import { Agent, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

// Any provider with OpenAI's chat API works; traces would be sent to OpenAI.
setOpenAIAPI("chat_completions");
setTracingDisabled(true);

const weather = tool({
  name: "weather",
  description: "Tells the weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `It is sunny in ${city}.`,
});

export const agent = new Agent({
  name: "Weather agent",
  instructions: "Use your tools. Answer in one sentence.",
  model: process.env.MODEL ?? "gpt-5-mini",
  tools: [weather],
});
