import { rolldown } from "rolldown";

/** What a program asks: one answer, a stream, tools in a loop, three answers at once. */
export const shapes = { json: 1, sse: 1, loop: 4, parallel: 3 } as const;
export type Shape = keyof typeof shapes;

/** What an agent of a client is published with. */
export type Program = { adapter_type: "python" | "node"; connection: "openai" | "anthropic"; config: object };

/** The part of the programs in Python that is the same. `ask` and `stream` are the client's, and `together` where it has its own. */
const python = `import json, os, signal, threading
from concurrent.futures import ThreadPoolExecutor

base = os.environ["OPENAI_BASE_URL"]
headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
tools = [{"type": "function", "function": {"name": "work", "parameters": {"type": "object"}}}]
body_of = lambda messages, more: {"model": "gpt-5-mini", "messages": messages, **more}

def texts(lines):
    text, is_whole = "", False
    for line in lines:
        line = line if isinstance(line, str) else line.decode()
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
        is_whole = is_whole or line.startswith("data: [DONE]")
    # urllib says nothing of a stream that is cut.
    if not is_whole: raise ConnectionError("the stream was cut")
    return text

def patiently(send, *faults):
    def tried(*args, **more):
        for left in range(8, -1, -1):
            try:
                return send(*args, **more)
            except faults:
                if left == 0: raise
    return tried

def loop(messages):
    while True:
        message = ask(messages, tools=tools)
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            n = json.loads(call["function"]["arguments"])["n"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"gave {n * 7}"})

def together(asked):
    with ThreadPoolExecutor() as pool:
        return [one["content"] for one in pool.map(ask, asked)]

def main(input, context):
    for ms in input["kill_after_ms"][context.attempt - 1 : context.attempt]:
        timer = threading.Timer(ms / 1000, os.kill, (os.getpid(), signal.SIGKILL))
        timer.daemon = True
        timer.start()
    user = lambda text: [{"role": "user", "content": input["label"] + " " + text}]
    if input["shape"] == "json": return {"said": ask(user("asks"))["content"]}
    if input["shape"] == "sse": return {"said": stream(user("streams"))}
    if input["shape"] == "loop": return {"said": loop(user("works"))}
    return {"said": together([user(text) for text in ["a", "b", "c"]])}
`;

/**
 * Clients in Python, the package that each needs, and what is its own. Those that don't try again when their connection ends are called
 * again by the program.
 */
const pythons = {
  urllib: {
    requirements: [],
    code: `
import http.client, urllib.request
def send(body):
    request = urllib.request.Request(base + "/chat/completions", json.dumps(body).encode(), headers)
    return urllib.request.urlopen(request, timeout=90)
def ask(messages, **more):
    with send(body_of(messages, more)) as answer: return json.load(answer)["choices"][0]["message"]
def stream(messages):
    with send(body_of(messages, {"stream": True})) as answer: return texts(answer)
ask, stream = (patiently(one, OSError, http.client.HTTPException) for one in (ask, stream))`,
  },
  httpx: {
    requirements: ["httpx"],
    code: `
import httpx
client = httpx.Client(base_url=base, headers=headers, timeout=90)
def ask(messages, **more):
    return client.post("/chat/completions", json=body_of(messages, more)).json()["choices"][0]["message"]
def stream(messages):
    with client.stream("POST", "/chat/completions", json=body_of(messages, {"stream": True})) as answer:
        return texts(answer.iter_lines())
ask, stream = (patiently(one, httpx.TransportError) for one in (ask, stream))`,
  },
  requests: {
    requirements: ["requests"],
    code: `
import requests
def send(messages, more, **options):
    return requests.post(base + "/chat/completions", json=body_of(messages, more), headers=headers, timeout=90, **options)
def ask(messages, **more):
    return send(messages, more).json()["choices"][0]["message"]
def stream(messages):
    with send(messages, {"stream": True}, stream=True) as answer: return texts(answer.iter_lines())
ask, stream = (patiently(one, requests.ConnectionError, requests.exceptions.ChunkedEncodingError) for one in (ask, stream))`,
  },
  aiohttp: {
    requirements: ["aiohttp"],
    code: `
import aiohttp, asyncio
async def send(messages, more, read):
    for left in range(8, -1, -1):
        try:
            async with aiohttp.ClientSession(headers=headers) as session:
                async with session.post(base + "/chat/completions", json=body_of(messages, more)) as answer:
                    return await read(answer)
        except aiohttp.ClientError:
            if left == 0: raise
async def whole(answer): return (await answer.json())["choices"][0]["message"]
async def pieces(answer): return texts([line async for line in answer.content])
def ask(messages, **more): return asyncio.run(send(messages, more, whole))
def stream(messages): return asyncio.run(send(messages, {"stream": True}, pieces))
def together(asked):
    async def all_of_them(): return await asyncio.gather(*(send(one, {}, whole) for one in asked))
    return [one["content"] for one in asyncio.run(all_of_them())]`,
  },
  curl: {
    requirements: [],
    code: `
import subprocess
def send(body):
    command = ["curl", "-sSN", "-m", "90", base + "/chat/completions", "-d", "@-"]
    for name, value in headers.items(): command += ["-H", f"{name}: {value}"]
    answer = subprocess.run(command, input=json.dumps(body), capture_output=True, text=True)
    if answer.returncode: raise OSError(answer.stderr)
    return answer.stdout
def ask(messages, **more): return json.loads(send(body_of(messages, more)))["choices"][0]["message"]
def stream(messages): return texts(send(body_of(messages, {"stream": True})).splitlines())
ask, stream = (patiently(one, OSError) for one in (ask, stream))`,
  },
  "openai-python": {
    requirements: ["openai"],
    code: `
import asyncio, openai
client = openai.OpenAI(timeout=90, max_retries=8)
def ask(messages, **more):
    answer = client.chat.completions.create(**body_of(messages, more))
    return answer.choices[0].message.model_dump(exclude_none=True)
def stream(messages):
    parts = client.chat.completions.create(**body_of(messages, {"stream": True}))
    return "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
stream = patiently(stream, Exception)  # Its transport has an error of its own for a stream that is cut.
def together(asked):
    # Threads that use the library first at the same moment fail in it, with a PydanticUserError: without Runfleet, too.
    async def all_of_them():
        async with openai.AsyncOpenAI(timeout=90, max_retries=8) as client:
            answers = [client.chat.completions.create(**body_of(one, {})) for one in asked]
            return [answer.choices[0].message.content for answer in await asyncio.gather(*answers)]
    return asyncio.run(all_of_them())`,
  },
};

/** The same in JavaScript. Each program kills itself at the time that its input has for the attempt, and says what it was answered. */
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
const client = new OpenAI({ timeout: 90_000, maxRetries: 8 });
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
const client = new Anthropic({ timeout: 90_000, maxRetries: 8 });
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
const maxRetries = 8;
const work = tool({ inputSchema: jsonSchema({ type: "object" }), execute: async ({ n }) => "gave " + n * 7 });
const ask = async (messages) => (await generateText({ model, maxRetries, messages })).text;
const stream = async (messages) => streamText({ model, maxRetries, messages }).text;
const loop = async (messages) => (await generateText({ model, maxRetries, messages, tools: { work }, stopWhen: stepCountIs(9) })).text;`,
  agents: `
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
setTracingDisabled(true);
const openAIClient = new OpenAI({ timeout: 90_000, maxRetries: 8 });
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }) });
const parameters = { type: "object", properties: {}, required: [], additionalProperties: true };
const work = tool({ name: "work", description: "", parameters, strict: false, execute: async ({ n }) => "gave " + n * 7 });
const agentWith = (tools) => new Agent({ name: "agent", model: "gpt-5-mini", tools });
const ask = async (messages) => (await runner.run(agentWith([]), messages[0].content)).finalOutput;
async function stream(messages) {
  const answer = await runner.run(agentWith([]), messages[0].content, { stream: true });
  let text = "";
  for await (const part of answer.toTextStream()) text += part;
  await answer.completed;
  return text;
}
const loop = async (messages) => (await runner.run(agentWith([work]), messages[0].content)).finalOutput;`,
  langchain: `
import { ChatOpenAI } from "@langchain/openai";
const model = new ChatOpenAI({ model: "gpt-5-mini", timeout: 90_000, maxRetries: 8 });
const withTools = model.bindTools([{ type: "function", function: { name: "work", parameters: { type: "object" } } }]);
const ask = async (messages) => (await model.invoke(messages)).content;
async function stream(messages) {
  let text = "";
  for await (const part of await model.stream(messages)) text += part.content;
  return text;
}
async function loop(messages) {
  for (;;) {
    const message = await withTools.invoke(messages);
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, args } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: "gave " + args.n * 7 });
  }
}`,
};

export type Client = keyof typeof pythons | keyof typeof sources;
const isPython = (client: Client): client is keyof typeof pythons => Object.hasOwn(pythons, client);
export const adapterOf = (client: Client): Program["adapter_type"] => (isPython(client) ? "python" : "node");
export const clients = [...Object.keys(pythons), ...Object.keys(sources)] as Client[];

/** Returns what an agent is published with that asks by a client's own library, unmodified. */
export async function programOf(client: Client): Promise<Program> {
  if (isPython(client)) {
    const { requirements, code } = pythons[client];
    return {
      adapter_type: adapterOf(client),
      connection: "openai",
      config: { source: `${python}${code}\n`, requirements },
    };
  }
  const code = await bundle(`${sources[client]}\n${javascript}`);
  const config = { files: { "main.mjs": code }, entrypoint: "main.mjs" };
  return { adapter_type: adapterOf(client), connection: client === "anthropic" ? "anthropic" : "openai", config };
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
