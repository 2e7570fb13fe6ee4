import { bodyLimits } from "../limits.ts";
import { measureJson } from "../../shared/domain/json/measure-json.ts";
import type { OpenConnection } from "../../shared/schemas/gateway.ts";

/** The protocols whose answers say what they cost. */
export type Protocol = "chat" | "responses" | "anthropic" | "google";

/** Returns the protocol of a call to a preset's service; null: an answer at this path tells no tokens. */
export function protocolOf(
  { preset }: Pick<OpenConnection, "preset">,
  method: string | undefined,
  pathname: string,
): Protocol | null {
  if (preset === null || method !== "POST") return null;
  const path = decoded(pathname);
  if (/\/(chat\/|fim\/)?completions$|\/embeddings$/.test(path)) return "chat";
  if (path.endsWith("/responses")) return "responses";
  if (path.endsWith("/messages")) return "anthropic";
  return /:(generateContent|streamGenerateContent)$/.test(path) ? "google" : null;
}

/** Returns a path as the service reads it. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** What a request says of what its answer may cost. */
export type RequestBounds = {
  model: string | null;
  /** Models that may answer in its place. */
  other_models: string[];
  /** The most tokens that the request may have. */
  input_most: number;
  /** Of each of its answers; null: the request doesn't say. */
  output_most: number | null;
  choices: number;
  /** The answer comes later, by another request, and so its tokens. */
  is_deferred: boolean;
};

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Returns the largest number under these names, since services differ in which they take; some take a number as text, too. */
const countAt = (body: Json, names: readonly string[]): number | null => {
  const found = names
    .map((name) => body[name])
    .filter((value) => typeof value === "number" || (typeof value === "string" && /^\s*\d/.test(value)))
    .map(Number)
    .filter((value) => value >= 0);
  return found.length > 0 ? Math.min(Math.ceil(Math.max(...found)), mostAsked) : null;
};

/** The names that services have for the length of an answer: another protocol's they ignore. Google takes each name in two spellings. */
const lengthNames = {
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  anthropic: ["max_tokens"],
  google: ["maxOutputTokens", "max_output_tokens"],
} as const satisfies Record<Protocol, readonly string[]>;
/** For how many answers there are. */
const choiceNames = ["n", "best_of"];
const googleChoiceNames = ["candidateCount", "candidate_count"];

const googleConfigOf = ({ generationConfig, generation_config }: Json): Json[] =>
  [generation_config, generationConfig].filter(isObject);

/** Returns the largest number under these names in any of the objects. */
function mostAt(bodies: readonly Json[], names: readonly string[]): number | null {
  const found = bodies.map((body) => countAt(body, names)).filter((value) => value !== null);
  return found.length > 0 ? Math.max(...found) : null;
}

/** No model answers with more tokens, or more often. */
const mostAsked = 1_000_000_000;

/** Reads a request's JSON; null for one that can't be read, or has too many values. */
export function readRequest(bytes: Buffer): Json | null {
  const text = bytes.toString("utf8");
  const { depth, values } = measureJson(text, { depth: bodyLimits.depth, values: bodyLimits.values });
  if (depth > bodyLimits.depth || values > bodyLimits.values) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function readRequestBounds(protocol: Protocol, body: Json, path: string): RequestBounds {
  const pathname = decoded(path);
  const isGoogle = protocol === "google";
  const named = isGoogle ? [/\/models\/([^/:]+):/.exec(pathname)?.[1]] : namedModels(body, pathname);
  const [model = null, ...other_models] = named
    .filter((name) => typeof name === "string")
    .map((name) => name.slice(0, 200));
  const choices = isGoogle ? mostAt(googleConfigOf(body), googleChoiceNames) : countAt(body, choiceNames);
  return {
    ...{ model, other_models: other_models.slice(0, mostModels) },
    input_most: tokensIn(body, [model ?? "", ...other_models]),
    output_most: outputOf(protocol, body, pathname),
    choices: Math.max(1, choices ?? 1) * promptsIn(body),
    is_deferred: isOn(body["background"]),
  };
}

/** True for what services take for `true`. */
const isOn = (value: unknown): boolean => value === true || /^(true|t|1|yes|y|on)$/i.test(String(value));

const mostModels = 20;

/** Azure answers by the deployment that its path names, OpenRouter by any model of a list. */
function namedModels(body: Json, pathname: string): unknown[] {
  const deployment = /\/deployments\/([^/]+)\//.exec(pathname)?.[1];
  const list: unknown = body["models"];
  return [...(deployment === undefined ? [] : [deployment]), body["model"], ...(Array.isArray(list) ? list : [])];
}

function outputOf(protocol: Protocol, body: Json, pathname: string): number | null {
  if (isEmbedding(pathname)) return 0;
  return mostAt(protocol === "google" ? googleConfigOf(body) : [body], lengthNames[protocol]);
}

const isEmbedding = (pathname: string): boolean => pathname.endsWith("/embeddings");

/** The oldest of the paths takes many prompts, and answers each: texts, or lists of tokens. */
function promptsIn({ prompt }: Json): number {
  const isMany = Array.isArray(prompt) && typeof prompt[0] !== "number";
  return isMany ? Math.max(1, prompt.length) : 1;
}

/** Returns the most tokens that a request may have: a token has at least a byte. */
function tokensIn(body: Json, models: readonly string[]): number {
  const files = partsIn(body).filter(isFile);
  const least = models.some((model) => model.includes("gpt-4o-mini")) ? leastOfDearFile : leastOfFile;
  const inFiles = files.reduce<number>((sum, part) => sum + Math.max(least, textIn(part) / 16) - textIn(part), 0);
  const unseen = (hasUnseen(body, files) ? contextOf(models) : 0) + lookUpsIn(body) * usualContext;
  return Math.ceil(textIn(body) + inFiles) + unseen;
}

/** What a small picture, sound or page may cost. Larger ones are far fewer tokens than bytes. */
const leastOfFile = 3_000;
/** One model counts pictures 33 times: https://platform.openai.com/docs/guides/images-vision. */
const leastOfDearFile = 50_000;
/** What the service adds from elsewhere fills at most the model's context. */
const usualContext = 200_000;
const contexts: readonly [RegExp, number][] = [
  [/gpt-4[.-]1(?!\d)|gemini/, 1_048_576],
  [/gpt-5/, 400_000],
];
const contextOf = (models: readonly string[]): number =>
  Math.max(
    usualContext,
    ...contexts.flatMap(([name, size]) => (models.some((model) => name.test(model)) ? [size] : [])),
  );

/** How often a service may look something up by itself while it answers, where the request doesn't say. */
const usualLookUps = 5;
const mostLookUps = 1_000;
/** Tools that the program executes. */
const ownTool =
  /^(function|custom|local_shell|shell|apply_patch|computer|bash|text_editor|memory)(_|$)|^computer_use_preview$/;
/** Members of a request by which a service looks things up. */
const lookUpNames = ["mcp_servers", "plugins", "web_search_options"];

/** Returns how often the service may look something up, such as by a search: each adds what the request doesn't show. */
function lookUpsIn(body: Json): number {
  const tools = listOf(body["tools"]).filter(isServed);
  const named = lookUpNames.filter((name) => body[name] !== undefined && body[name] !== null);
  if (tools.length + named.length === 0) return 0;
  const most = mostAt([body], ["max_tool_calls"]);
  const ofTools = tools.reduce((sum, tool) => sum + (countAt(tool, ["max_uses"]) ?? usualLookUps), 0);
  return Math.min(most ?? ofTools + named.length * usualLookUps, mostLookUps);
}

/** Google's tools have no type: what isn't a list of functions is the service's own. */
function isServed(tool: Json): boolean {
  const { type } = tool;
  if (typeof type === "string") return !ownTool.test(type);
  const names = Object.keys(tool).map((name) => name.toLowerCase().replaceAll("_", ""));
  return names.some((name) => servedByGoogle.includes(name));
}

const servedByGoogle = ["googlesearch", "googlesearchretrieval", "urlcontext", "codeexecution", "enterprisewebsearch"];

/** Counts JSON as text: a model sees names and values of a tool's arguments, too. */
function textIn(root: unknown): number {
  let bytes = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") bytes += Buffer.byteLength(value) + 4;
    else if (Array.isArray(value)) {
      bytes += value.length;
      for (const item of value) open.push(item);
    } else if (typeof value === "object" && value !== null)
      for (const [name, item] of Object.entries(value)) {
        bytes += Buffer.byteLength(name) + 2;
        open.push(item);
      }
    else bytes += 8;
  }
  return bytes;
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const innerOf = (part: Json): Json[] => [part["content"], part["parts"], part["output"]].flatMap(listOf);

/** Returns the parts of messages and of tools' results. Anywhere else what looks like a file is text to the model. */
function partsIn(body: Json): Json[] {
  const messages = [body["messages"], body["input"], body["contents"]].flatMap(listOf);
  const parts = messages.flatMap(innerOf);
  return [...parts, ...parts.flatMap(innerOf)];
}

const kindsOfFile = new Set(["image_url", "input_image", "image", "document", "input_audio", "file", "input_file"]);

/** A document of plain text is none: the model reads each of its bytes. */
function isFile(part: Json): boolean {
  const { inlineData, inline_data, fileData, file_data, source, type } = part;
  if ([inlineData, inline_data, fileData, file_data].some((data) => isObject(data) && !isText(data))) return true;
  if (typeof type !== "string" || !kindsOfFile.has(type)) return false;
  return isObject(source)
    ? ["base64", "url", "file"].includes(String(source["type"])) && !isText(source)
    : !isText(part);
}

/** True where a part's kind, or the beginning of its data, says that it is text. */
function isText(part: Json): boolean {
  const inner = ["file", "input_file"].includes(String(part["type"])) && isObject(part["file"]) ? part["file"] : part;
  const kind = [inner["media_type"], inner["mimeType"], inner["mime_type"], inner["file_data"]].find(
    (value) => typeof value === "string",
  );
  return kind !== undefined && /^(data:)?(text\/|application\/(json|xml))/i.test(String(kind).slice(0, 100));
}

/** True when the service adds what this request only names: earlier answers, stored prompts, uploaded files. */
function hasUnseen(body: Json, files: Json[]): boolean {
  const named = ["previous_response_id", "conversation", "prompt", "cachedContent", "cached_content"];
  const isNamed = named.some((name) => isObject(body[name]) || (name !== "prompt" && typeof body[name] === "string"));
  const isReferred = listOf(body["input"]).some(({ type }) => type === "item_reference");
  return isNamed || isReferred || files.some(isUnseen);
}

/** True for a file that the service has, and for one that it fetches, unless that is a picture: those have a bound. */
function isUnseen(part: Json): boolean {
  const text = JSON.stringify(part).slice(0, 2_000);
  const isPicture = ["image_url", "input_image", "image"].includes(String(part["type"]));
  return /"(file_id|fileUri|file_uri)"/.test(text) || (!isPicture && /"(url|file_url)":"\s*https?:/i.test(text));
}

/** How a request is changed before it is sent. */
type Changes = { connection: OpenConnection; output_most: number | null };

/**
 * Returns the request to send, and whether the usage that it asks for is to be taken out of its answer again. `output_most`: how
 * long an answer may be; null: as the request says.
 */
export function prepareBody(
  protocol: Protocol,
  body: Json,
  { connection: { preset }, output_most }: Changes,
): { changed: Json | null; dropsUsage: boolean } {
  const options = isObject(body["stream_options"]) ? body["stream_options"] : {};
  // Mistral tells the usage of a stream by itself, and refuses the field.
  const dropsUsage =
    protocol === "chat" && isOn(body["stream"]) && options["include_usage"] !== true && preset !== "mistral";
  const usage = dropsUsage ? { stream_options: { ...options, include_usage: true } } : {};
  const limit = output_most === null ? {} : limitOf(protocol, body, { preset, output_most });
  const changes = { ...usage, ...limit };
  const hasChanged = Object.entries(changes).some(([name, value]) => body[name] !== value);
  return { changed: hasChanged ? { ...body, ...changes } : null, dropsUsage };
}

function limitOf(
  protocol: Protocol,
  body: Json,
  { preset, output_most }: { preset: OpenConnection["preset"]; output_most: number },
): Json {
  if (protocol === "google") {
    const { max_output_tokens: _, ...config } = Object.assign({}, ...googleConfigOf(body)) as Json;
    return { generation_config: undefined, generationConfig: { ...config, maxOutputTokens: output_most } };
  }
  const name = protocol === "chat" ? chatLengthName(body, preset) : lengthNames[protocol][0];
  const others = lengthNames[protocol].filter((other) => other !== name);
  return { ...Object.fromEntries(others.map((other) => [other, undefined])), [name]: output_most };
}

/** Only OpenAI serves these models, if by somebody's proxy, and refuses `max_tokens` for them. */
const reasoning = /(^|\/)(o\d|gpt-5)/;

/** A service may refuse a request with two of the names. OpenAI takes either, so the program's own is kept; others may ignore the newer one. */
function chatLengthName(body: Json, preset: OpenConnection["preset"]): string {
  const isOpenAi = preset === "openai" || preset === "azure" || reasoning.test(String(body["model"]));
  if (!isOpenAi) return "max_tokens";
  return lengthNames.chat.find((name) => body[name] !== undefined) ?? "max_completion_tokens";
}
