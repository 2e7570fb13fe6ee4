import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** A provider of models that bills what it is asked. `billed`: calls, by the label that a conversation begins with. */
export type Provider = { url: string; port: number; billed: Map<string, number>; close(): void };

const request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.unknown()).default([]),
  stream: z.boolean().default(false),
});
type Request = z.infer<typeof request>;

/** A tool is asked for so often in a conversation. */
const mostTools = 3;
/** An answer that is no stream takes as long as so many pieces. */
export const piecesOfAnswer = 8;

/** Opens one that speaks OpenAI's chat protocol and Anthropic's, and takes `pieceMs` for each piece of an answer. The text of an answer depends on the conversation alone; its ids never repeat. */
export async function openProvider(pieceMs: number): Promise<Provider> {
  const billed = new Map<string, number>();
  const server = createServer((req, res) => {
    answer(req, res, { billed, pieceMs }).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/v1`, port, billed, close };
}

type Answering = { billed: Provider["billed"]; pieceMs: number };

async function answer(req: IncomingMessage, res: ServerResponse, { billed, pieceMs }: Answering): Promise<void> {
  const asked = request.parse(await json(req));
  const [label = ""] = textOf(asked.messages[0]?.content).split(" ");
  billed.set(label, (billed.get(label) ?? 0) + 1);
  const turn = asked.messages.filter(({ role }) => role === "assistant").length + 1;
  const said = {
    id: randomUUID(),
    text: `Turn ${turn} on ${textOf(asked.messages.at(-1)?.content).replace(label, "")}, said word by word.`,
    tool: asked.tools.length > 0 && turn <= mostTools ? { id: `call_${randomUUID()}`, turn } : null,
  };
  const protocol = req.url?.endsWith("/messages") ? anthropic : chat;
  if (!asked.stream) {
    await sleep(pieceMs * piecesOfAnswer);
    res.writeHead(200, { "content-type": "application/json" });
    return void res.end(JSON.stringify(protocol.whole(asked, said)));
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of protocol.pieces(asked, said)) {
    res.write(piece);
    await sleep(pieceMs);
  }
  res.end();
}

/** A text, or the texts of its parts. */
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : [...JSON.stringify(content).matchAll(/"(?:text|content)":"([^"]*)"/g)].map(([, text]) => text).join(" ");

type Said = { id: string; text: string; tool: { id: string; turn: number } | null };
const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const wordsOf = (text: string): string[] => text.split(/(?<= )/);

const chat = {
  whole({ model }: Request, { id, text, tool }: Said): object {
    const calls = tool && [
      { id: tool.id, type: "function", function: { name: "work", arguments: JSON.stringify({ n: tool.turn }) } },
    ];
    const message = { role: "assistant", content: text, ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, finish_reason: calls ? "tool_calls" : "stop" }];
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return { id, object: "chat.completion", created: 1, model, choices, usage };
  },
  *pieces({ model }: Request, { id, text }: Said): Iterable<string> {
    const chunk = (more: object): string =>
      event({ id, object: "chat.completion.chunk", created: 1, model, choices: [], ...more });
    const say = (delta: object, finish_reason: string | null): string =>
      chunk({ choices: [{ index: 0, delta, finish_reason }] });
    for (const content of wordsOf(text)) yield say({ content }, null);
    yield say({}, "stop");
    yield chunk({ usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
    yield "data: [DONE]\n\n";
  },
};

const anthropic = {
  whole({ model }: Request, { id, text, tool }: Said): object {
    const use = tool ? [{ type: "tool_use", id: tool.id, name: "work", input: { n: tool.turn } }] : [];
    const usage = { input_tokens: 100, output_tokens: 20 };
    const content = [{ type: "text", text }, ...use];
    const ended = { stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null };
    return { id, type: "message", role: "assistant", model, content, ...ended, usage };
  },
  *pieces(asked: Request, said: Said): Iterable<string> {
    const say = (type: string, more: object): string => event({ type, ...more }, type);
    const message = { ...anthropic.whole(asked, said), content: [], stop_reason: null };
    yield say("message_start", { message });
    yield say("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for (const text of wordsOf(said.text))
      yield say("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    yield say("content_block_stop", { index: 0 });
    const delta = { stop_reason: "end_turn", stop_sequence: null };
    yield say("message_delta", { delta, usage: { output_tokens: 20 } });
    yield say("message_stop", {});
  },
};
