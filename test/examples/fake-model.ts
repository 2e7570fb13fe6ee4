import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Message = { role: string; content: string | null };
type Asked = {
  model: string;
  messages: Message[];
  tools?: { function: { name: string } }[];
  stream?: boolean;
};

/** What the model gives the tools that it knows. */
const toolInputs: Record<string, object> = {
  weather: { city: "Rome" },
  book_table: { restaurant: "Roma", people: 2 },
};

export type FakeModel = {
  /** The base URL of OpenAI's API. */
  url: string;
  /** `127.0.0.1:<port>`. */
  host: string;
  asked: Asked[];
  close(): Promise<void>;
};

/**
 * A provider with OpenAI's chat API on this machine's loopback. The model uses the first tool that it is offered, once, and
 * then tells what the tool said; without tools it repeats what it was told.
 */
export async function openFakeModel(): Promise<FakeModel> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    void readAsked(req).then((body) => {
      asked.push(body);
      const { message, finish_reason } = answerTo(body);
      if (!body.stream)
        return void res.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            ...common(body),
            object: "chat.completion",
            choices: [{ index: 0, message, finish_reason }],
            usage,
          }),
        );
      res.writeHead(200, { "content-type": "text/event-stream" });
      // As some providers do: comments while they are at work, ids, and no blank after the colon.
      res.write(": PROCESSING\n\n");
      for (const [id, chunk] of chunksOf(body).entries()) res.write(`id: ${id}\ndata:${JSON.stringify(chunk)}\n\n`);
      res.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const readAsked = async (req: IncomingMessage): Promise<Asked> => JSON.parse(await text(req)) as Asked;

const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 };
const common = ({ model }: Asked) => ({ id: "chatcmpl-1", created: 1_764_000_000, model });

function answerTo({ messages, tools = [] }: Asked) {
  const last = messages.at(-1);
  const [offered] = tools;
  if (last?.role === "tool")
    return { message: { role: "assistant", content: `Done: ${last.content}` }, finish_reason: "stop" };
  if (!offered) return { message: { role: "assistant", content: `You said: ${last?.content}` }, finish_reason: "stop" };
  const { name } = offered.function;
  const called = { name, arguments: JSON.stringify(toolInputs[name]) };
  const tool_calls = [{ index: 0, id: "call_1", type: "function", function: called }];
  return { message: { role: "assistant", content: null, tool_calls }, finish_reason: "tool_calls" };
}

function chunksOf(body: Asked): object[] {
  const { message, finish_reason } = answerTo(body);
  const { content, ...rest } = message;
  const words = content === null ? [] : content.split(/(?<= )/);
  const chunk = (delta: object, end: string | null = null) => ({
    ...common(body),
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: end }],
  });
  return [
    chunk(content === null ? { ...rest, content: null } : { role: "assistant", content: "" }),
    ...words.map((word) => chunk({ content: word })),
    chunk({}, finish_reason),
    { ...common(body), object: "chat.completion.chunk", choices: [], usage },
  ];
}
