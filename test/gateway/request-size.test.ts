import { expect, test } from "vitest";
import { saysNamesTwice } from "../../gateway/meter/names-twice.ts";
import { prepareBody, protocolOf, readRequestBounds } from "../../gateway/meter/protocol.ts";
import type { OpenConnection } from "../../shared/schemas/gateway.ts";

/** As random as a key: hardly a token of it has three letters. */
const dense = Buffer.from(Array.from({ length: 30_000 }, (_, at) => (at * 7_919) % 251)).toString("base64");
const picture = `data:image/png;base64,${dense}`;
const chat = (content: unknown, more: object = {}) => ({ messages: [{ role: "user", content }], ...more });
const most = (body: object): number => readRequestBounds("chat", { ...body }, "/v1/chat/completions").input_most;

test.each(
  Object.entries({
    "a text": chat(dense),
    "a part that is text": chat([{ type: "text", text: picture }]),
    "a document of text": chat([{ type: "document", source: { type: "text", media_type: "text/plain", data: dense } }]),
    "a document that says it is bytes of text": chat([
      { type: "document", source: { type: "base64", media_type: "text/plain", data: dense } },
    ]),
    "a file of text": chat([{ type: "file", file: { file_data: `data:text/plain;base64,${dense}` } }]),
    "what Google is given as text": {
      contents: [{ parts: [{ inlineData: { mimeType: "text/plain", data: dense } }] }],
    },
    "a tool's description": chat("hi", { tools: [{ image_url: { url: picture }, type: "image_url" }] }),
    "a tool's arguments": chat([
      { type: "tool_use", input: { type: "image", source: { type: "base64", media_type: "image/png", data: dense } } },
    ]),
    "an unknown field": chat("hi", { extra: { type: "image_url", image_url: { url: picture } } }),
  }),
)("every byte of %s is reserved as a token, whatever it looks like", (_, body) => {
  expect(most(body)).toBeGreaterThanOrEqual(dense.length);
});

test.each(
  Object.entries({
    "a picture": chat([{ type: "image_url", image_url: { url: picture } }]),
    "a picture by its address": chat([{ type: "image_url", image_url: { url: "https://pictures.example/1.png" } }]),
    "Anthropic's picture": chat([{ type: "image", source: { type: "base64", media_type: "image/png", data: dense } }]),
    "a tool's picture": chat([
      {
        type: "tool_result",
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: dense } }],
      },
    ]),
    "Google's picture": { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: dense } }] }] },
    "the responses' picture": { input: [{ content: [{ type: "input_image", image_url: picture }] }] },
  }),
)("%s counts as a picture, not as its bytes", (_, body) => {
  expect(most(body)).toBeGreaterThanOrEqual(3_000);
  expect(most(body)).toBeLessThan(5_000);
});

test.each([
  { previous_response_id: "resp_1" },
  { input: [{ type: "item_reference", id: "msg_1" }] },
  { conversation: "conv_1" },
  { prompt: { id: "pmpt_1" } },
  { cachedContent: "cachedContents/1" },
  chat([{ type: "file", file: { file_id: "file-1" } }]),
  { contents: [{ parts: [{ fileData: { fileUri: "https://files.example/1" } }] }] },
])("what only the service can see is reserved as a whole context: %j", (body) => {
  expect(most(body)).toBeGreaterThanOrEqual(200_000);
});

test("of several bounds the largest is reserved, by whatever name, and one is left where the answer is to be shorter", () => {
  const asked = readRequestBounds(
    "chat",
    { max_tokens: "70", max_completion_tokens: 5, n: "3", best_of: 2 },
    "/v1/chat/completions",
  );
  expect(asked).toMatchObject({ output_most: 70, choices: 3 });
  const google = {
    generation_config: { max_output_tokens: 70, candidate_count: 8, topK: 1 },
    generationConfig: { maxOutputTokens: 5, candidateCount: 1 },
  };
  expect(readRequestBounds("google", google, "/v1beta/models/m:generateContent")).toMatchObject({
    output_most: 70,
    choices: 8,
  });
  const connection = { preset: "openai" } as Parameters<typeof prepareBody>[2]["connection"];
  const written = (protocol: "chat" | "google", body: object): unknown =>
    JSON.parse(JSON.stringify(prepareBody(protocol, { ...body }, { connection, output_most: 9 }).changed));
  expect(written("google", google)).toEqual({
    generationConfig: { maxOutputTokens: 9, candidate_count: 8, candidateCount: 1, topK: 1 },
  });
  expect(written("chat", { max_tokens: 70 })).toEqual({ max_tokens: 9 });
  expect(written("chat", { max_tokens: 70, max_completion_tokens: 5 })).toEqual({ max_completion_tokens: 9 });
});

const boundOf = (protocol: Parameters<typeof readRequestBounds>[0], body: object) =>
  readRequestBounds(protocol, { ...body }, "/v1/x").output_most;
const preparedFor = (preset: string, body: Record<string, unknown>, output_most: number | null) =>
  prepareBody("chat", { ...body }, { connection: { preset } as OpenConnection, output_most });

test("a bound by a name that the protocol hasn't is none", () => {
  expect(boundOf("chat", { max_output_tokens: 16 })).toBeNull();
  expect(boundOf("responses", { max_tokens: 16, max_completion_tokens: 16 })).toBeNull();
  expect(boundOf("anthropic", { max_completion_tokens: 16, max_output_tokens: 16 })).toBeNull();
  expect(boundOf("anthropic", { max_tokens: 7, max_output_tokens: 16 })).toBe(7);
  expect(boundOf("google", { max_tokens: 16, generationConfig: { max_tokens: 16 } })).toBeNull();
});

test("what is reserved is written by the name that each service takes", () => {
  const asked = { max_completion_tokens: 16 };
  expect(preparedFor("openai_compatible", asked, 16).changed).toEqual({ max_tokens: 16 });
  expect(preparedFor("openrouter", asked, 16).changed).toEqual({ max_tokens: 16 });
  expect(preparedFor("openai", asked, 16).changed).toBeNull();
  // OpenAI's own models, which take no other name, behind somebody's proxy.
  for (const model of ["gpt-5-mini", "openai/o3"])
    expect(preparedFor("openai_compatible", { model, ...asked }, 16).changed).toBeNull();
  expect(preparedFor("openai_compatible", asked, null).changed).toBeNull();
});

test("a stream is asked for its usage however it is asked for", () => {
  const isAskedFor = (stream: unknown) => preparedFor("openai_compatible", { stream }, null).dropsUsage;
  expect([true, 1, "true", "1", "yes"].map(isAskedFor)).toEqual([true, true, true, true, true]);
  expect([false, 0, "false", null, undefined].map(isAskedFor)).toEqual([false, false, false, false, false]);
});

test("a model's name in a path is read as the service reads it", () => {
  const path = "/v1beta/models/gemini%2D2.5-pro%3AgenerateContent";
  expect(readRequestBounds("google", {}, path).model).toBe("gemini-2.5-pro");
  expect(protocolOf({ preset: "google" }, "POST", path)).toBe("google");
});

test("what a service adds to a request fills the context of a model that has a larger one", () => {
  const most = (model: string) =>
    readRequestBounds("responses", { model, previous_response_id: "resp_1" }, "/v1/responses").input_most;
  expect(most("gpt-4.1")).toBeGreaterThan(1_000_000);
  expect(most("o3")).toBeLessThan(201_000);
});

test.each([
  ['{"n":1,"n":2}', true],
  [String.raw`{"n":1,"\u006e":2}`, true],
  ['{"messages":[{"content":"long","content":"x"}]}', true],
  [String.raw`{"a":"\"n\":1,\"n\":2","b":"\\","c":{"a":[{"a":1},{"a":":"}]}}`, false],
  ["[1,{},[],null]", false],
])("that JSON has a name twice in one object is seen: %s", (text, isSo) => {
  expect(saysNamesTwice(text, JSON.parse(text))).toBe(isSo);
});
