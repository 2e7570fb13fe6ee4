import { rolldown } from "rolldown";

/** What a program asks: one answer, a stream, tools in a loop, three answers at once. */
export const shapes = { json: 1, sse: 1, loop: 4, parallel: 3 } as const;
export type Shape = keyof typeof shapes;

/** What an agent of a client is published with. */
export type Program = { adapter_type: "python" | "node"; connection: "openai" | "anthropic"; config: object };

/** Each program kills itself at the time that its input has for the attempt, and says what it was answered. */
const python = `import json, os, signal, threading, urllib.request
from concurrent.futures import ThreadPoolExecutor

tools = [{"type": "function", "function": {"name": "work", "parameters": {"type": "object"}}}]

def send(body):
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    data = json.dumps({"model": "gpt-5-mini", **body}).encode()
    return urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=90)

def ask(messages, **more):
    with send({"messages": messages, **more}) as answer:
        return json.load(answer)["choices"][0]["message"]

def stream(messages):
    text = ""
    with send({"messages": messages, "stream": True}) as answer:
        for line in answer:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
    return text

def loop(messages):
    while True:
        message = ask(messages, tools=tools)
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            n = json.loads(call["function"]["arguments"])["n"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"gave {n * 7}"})

def main(input, context):
    for ms in input["kill_after_ms"][context.attempt - 1 : context.attempt]:
        timer = threading.Timer(ms / 1000, os.kill, (os.getpid(), signal.SIGKILL))
        timer.daemon = True
        timer.start()
    user = lambda text: [{"role": "user", "content": input["label"] + " " + text}]
    if input["shape"] == "json": return {"said": ask(user("asks"))["content"]}
    if input["shape"] == "sse": return {"said": stream(user("streams"))}
    if input["shape"] == "loop": return {"said": loop(user("works"))}
    with ThreadPoolExecutor() as pool:
        return {"said": [one["content"] for one in pool.map(ask, map(user, ["a", "b", "c"]))]}
`;

/** The part of the programs in JavaScript that is the same. `ask`, `stream` and `loop` are the client's. */
const javascript = `
export default async function main(input, context) {
  const [ms] = input.kill_after_ms.slice(context.attempt - 1, context.attempt);
  if (ms !== undefined) setTimeout(() => process.kill(process.pid, "SIGKILL"), ms).unref();
  const user = (text) => [{ role: "user", content: input.label + " " + text }];
  if (input.shape === "json") return { said: await ask(user("asks")) };
  if (input.shape === "sse") return { said: await stream(user("streams")) };
  if (input.shape === "loop") return { said: await loop(user("works")) };
  return { said: await Promise.all(["a", "b", "c"].map((text) => ask(user(text)))) };
}`;

const sources = {
  openai: `
import OpenAI from "openai";
const client = new OpenAI({ timeout: 90_000 });
const model = "gpt-5-mini";
const tools = [{ type: "function", function: { name: "work", parameters: { type: "object" } } }];
const send = async (body) => (await client.chat.completions.create({ model, ...body })).choices[0].message;
const ask = async (messages) => (await send({ messages })).content;
async function stream(messages) {
  let text = "";
  for await (const part of await client.chat.completions.create({ model, messages, stream: true }))
    text += part.choices[0]?.delta.content ?? "";
  return text;
}
async function loop(messages) {
  for (;;) {
    const message = await send({ messages, tools });
    messages.push(message);
    if (!message.tool_calls) return message.content;
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: "gave " + JSON.parse(call.function.arguments).n * 7 });
  }
}`,
  anthropic: `
import Anthropic from "@anthropic-ai/sdk";
const client = new Anthropic({ timeout: 90_000 });
const base = { model: "claude-sonnet-4-5", max_tokens: 100 };
const tools = [{ name: "work", input_schema: { type: "object" } }];
const ask = async (messages) => (await client.messages.create({ ...base, messages })).content[0].text;
const stream = (messages) => client.messages.stream({ ...base, messages }).finalText();
async function loop(messages) {
  for (;;) {
    const { content } = await client.messages.create({ ...base, messages, tools });
    messages.push({ role: "assistant", content });
    const uses = content.filter(({ type }) => type === "tool_use");
    if (uses.length === 0) return content[0].text;
    const results = uses.map((use) => ({ type: "tool_result", tool_use_id: use.id, content: "gave " + use.input.n * 7 }));
    messages.push({ role: "user", content: results });
  }
}`,
  ai: `
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { openai } from "@ai-sdk/openai";
const model = openai.chat("gpt-5-mini");
const work = tool({ inputSchema: jsonSchema({ type: "object" }), execute: async ({ n }) => "gave " + n * 7 });
const ask = async (messages) => (await generateText({ model, messages })).text;
const stream = async (messages) => streamText({ model, messages }).text;
const loop = async (messages) => (await generateText({ model, messages, tools: { work }, stopWhen: stepCountIs(9) })).text;`,
};

export type Client = "urllib" | keyof typeof sources;
export const clients: readonly Client[] = ["urllib", "openai", "anthropic", "ai"];

/** Returns what an agent is published with that asks by a client's own library, unmodified. */
export async function programOf(client: Client): Promise<Program> {
  if (client === "urllib") return { adapter_type: "python", connection: "openai", config: { source: python } };
  const code = await bundle(`${sources[client]}\n${javascript}`);
  const config = { files: { "main.mjs": code }, entrypoint: "main.mjs" };
  return { adapter_type: "node", connection: client === "anthropic" ? "anthropic" : "openai", config };
}

/** A library and a program, as one file. */
async function bundle(program: string): Promise<string> {
  const built = await rolldown({
    input: "program.mjs",
    platform: "node",
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program.mjs" ? `${process.cwd()}/program.mjs` : null),
        load: (id) => (id.endsWith("/program.mjs") ? program : null),
      },
    ],
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false, minify: true });
  return output[0].code;
}
