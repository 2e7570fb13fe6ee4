import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** What a provider of models bills: calls that began, and of those the ones that were answered to the end. */
export type Provider = { url: string; port: number; begun: number; finished: number; close(): void };

const request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
  stream: z.boolean().default(false),
});
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const pieceMs = 40;

/** Opens a provider that speaks OpenAI's chat protocol, with tools. Its answers depend on the conversation alone, but for their ids. */
export async function openProvider(): Promise<Provider> {
  const provider: Provider = { url: "", port: 0, begun: 0, finished: 0, close: () => undefined };
  const server = createServer((req, res) => {
    provider.begun += 1;
    res.once("finish", () => (provider.finished += 1));
    answer(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.port = (server.address() as AddressInfo).port;
  provider.url = `http://127.0.0.1:${provider.port}/v1`;
  provider.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return provider;
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { model, messages, stream } = request.parse(await json(req));
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  const id = `chatcmpl-${Math.random().toString(36).slice(2)}`;
  const name = turn % 3 === 0 ? "add" : "look_up";
  const tool = { id: `call_${turn}`, type: "function", function: { name, arguments: JSON.stringify({ turn }) } };
  const content = `Turn ${turn}: ${String(messages.at(-1)?.content ?? "").slice(0, 40)}. `;
  if (!stream) {
    await sleep(pieceMs * 5);
    const message = { role: "assistant", content, tool_calls: [tool] };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    res.writeHead(200, { "content-type": "application/json" });
    return void res.end(JSON.stringify({ id, object: "chat.completion", created: 1, model, choices, usage }));
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  const say = async (more: object): Promise<void> => {
    res.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model, ...more })}\n\n`);
    await sleep(pieceMs);
  };
  const delta = (part: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: part, finish_reason }],
  });
  for (const word of content.split(/(?<= )/)) await say(delta({ content: word }));
  await say(delta({ tool_calls: [{ index: 0, ...tool }] }));
  await say(delta({}, "tool_calls"));
  await say({ choices: [], usage });
  res.end("data: [DONE]\n\n");
}
