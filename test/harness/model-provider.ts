import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

type Message = { role: string; content?: unknown; tool_calls?: unknown };
type Body = {
  model?: string;
  messages?: Message[];
  input?: unknown;
  contents?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
};

/** A call as the provider saw it. `tokens`: what it bills. */
export type SeenCall = {
  path: string;
  key: string;
  headers: IncomingMessage["headers"];
  body: Body;
  tokens: [number, number];
};

export type ModelProvider = {
  port: number;
  url: string;
  calls: SeenCall[];
  /** Answers the next calls with these, in order, before it answers as usual. */
  next: ((res: ServerResponse) => void)[];
  close(): void;
};

/** How long it takes between two pieces of a stream, in ms. */
const pieceMs = 5;

/** A provider of models on this machine: OpenAI's two protocols, Anthropic's and Google's, as JSON and as streams. */
export async function openModelProvider(key: string): Promise<ModelProvider> {
  const calls: SeenCall[] = [];
  const next: ModelProvider["next"] = [];
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? "";
    const body = req.method === "POST" ? ((await json(req)) as Body) : {};
    const given = keyOf(req);
    const tokens: [number, number] = [JSON.stringify(body.messages ?? body.input ?? body.contents ?? "").length, 7];
    calls.push({ path, key: given, headers: req.headers, body, tokens });
    if (given !== key) return send(res, 401, { error: { message: `wrong key ${given}`, type: "invalid_api_key" } });
    const special = next.shift();
    if (special) return special(res);
    if (path.endsWith("/echo")) return send(res, 200, { headers: req.headers, key });
    const protocol = protocols.find(({ matches }) => matches.test(path));
    if (!protocol) return send(res, 404, { error: { message: "no such path" } });
    const about = aboutOf(body, tokens);
    const isStream = body.stream === true || path.includes("streamGenerateContent");
    return isStream ? stream(res, about.id, protocol.pieces(about, body)) : send(res, 200, protocol.whole(about));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    calls,
    next,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function keyOf({ headers }: IncomingMessage): string {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = headers;
  return String(authorization?.replace("Bearer ", "") ?? anthropic ?? google ?? "");
}

async function stream(res: ServerResponse, id: string, pieces: Iterable<string>): Promise<void> {
  res.writeHead(200, { "content-type": "text/event-stream", "x-request-id": id, "set-cookie": "a=b" });
  for (const piece of pieces) {
    res.write(piece);
    await sleep(pieceMs);
  }
  res.end();
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { "content-type": "application/json", "x-request-id": randomUUID() }).end(JSON.stringify(body));
}

/** The last words of a request. */
function lastOf({ messages, input, contents }: Body): string {
  const last = messages?.at(-1)?.content ?? input ?? contents ?? "";
  return typeof last === "string" ? last : String(JSON.stringify(last).match(/"text":"([^"]*)"/)?.[1] ?? "something");
}

const aboutOf = (body: Body, tokens: [number, number]): About => ({
  id: randomUUID(),
  model: body.model ?? "gemini-2.5-flash",
  text: `said ${lastOf(body)}`,
  tokens,
});

type About = { id: string; model: string; text: string; tokens: [number, number] };
const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const wordsOf = (text: string): string[] => text.split(/(?<= )/);

const chat = {
  matches: /\/chat\/completions$/,
  usage: ([prompt_tokens, completion_tokens]: About["tokens"]) => ({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
  }),
  whole: ({ id, model, text, tokens }: About) => ({
    id,
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: chat.usage(tokens),
  }),
  *pieces({ id, model, text, tokens }: About, body: Body) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      event({ id, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason }] });
    for (const content of wordsOf(text)) yield chunk({ role: "assistant", content });
    yield chunk({}, "stop");
    const wants = body.stream_options?.include_usage === true;
    if (wants)
      yield event({ id, object: "chat.completion.chunk", created: 1, model, choices: [], usage: chat.usage(tokens) });
    yield "data: [DONE]\n\n";
  },
};

const responses = {
  matches: /\/responses$/,
  whole: ({ id, model, text, tokens: [input_tokens, output_tokens] }: About) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    output: [
      {
        id: `msg_${id}`,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  *pieces(about: About) {
    const whole = responses.whole(about);
    const at = { item_id: `msg_${about.id}`, output_index: 0, content_index: 0 };
    let sequence_number = 0;
    const say = (type: string, more: object) => event({ type, sequence_number: sequence_number++, ...more }, type);
    const item = { ...whole.output[0], content: [], status: "in_progress" };
    yield say("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } });
    yield say("response.output_item.added", { output_index: 0, item });
    yield say("response.content_part.added", { ...at, part: { type: "output_text", text: "", annotations: [] } });
    for (const delta of wordsOf(about.text)) yield say("response.output_text.delta", { ...at, delta, logprobs: [] });
    yield say("response.output_text.done", { ...at, text: about.text, logprobs: [] });
    yield say("response.output_item.done", { output_index: 0, item: whole.output[0] });
    yield say("response.completed", { response: whole });
  },
};

const messages = {
  matches: /\/messages$/,
  whole: ({ id, model, text, tokens: [input_tokens, output_tokens] }: About) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens, output_tokens },
  }),
  *pieces(about: About) {
    const whole = messages.whole(about);
    const [input_tokens, output_tokens] = about.tokens;
    const say = (type: string, more: object) => event({ type, ...more }, type);
    yield say("message_start", {
      message: { ...whole, content: [], stop_reason: null, usage: { input_tokens, output_tokens: 1 } },
    });
    yield say("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for (const text of wordsOf(about.text))
      yield say("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    yield say("content_block_stop", { index: 0 });
    yield say("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens } });
    yield say("message_stop", {});
  },
};

const gemini = {
  matches: /:(generateContent|streamGenerateContent)/,
  whole: ({ text, model, tokens: [promptTokenCount, candidatesTokenCount] }: About) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    modelVersion: model,
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount,
      totalTokenCount: promptTokenCount + candidatesTokenCount,
    },
  }),
  *pieces(about: About) {
    const words = wordsOf(about.text);
    for (const text of words.slice(0, -1))
      yield event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }] });
    yield event(gemini.whole({ ...about, text: words.at(-1) ?? "" }));
  },
};

const protocols: {
  matches: RegExp;
  whole(about: About): object;
  pieces(about: About, body: Body): Iterable<string>;
}[] = [chat, responses, messages, gemini];
