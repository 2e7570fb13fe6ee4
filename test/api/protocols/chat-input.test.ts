import { expect, test } from "vitest";
import { answersOf } from "../../../api/protocols/a2a/run-input.ts";
import { chatInput, plainContent } from "../../../api/protocols/chat-input.ts";
import { replyOf } from "../../../api/protocols/mcp/elicitation.ts";
import { readAnswer } from "../../../api/protocols/read-answer.ts";
import { agUiProjection } from "../../../api/stream/projections/ag-ui.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";

const fields = { prompt: "hi", messages: [{ role: "user", content: "hi" }], state: { n: 1 }, params: undefined };
const schemaOf = (properties: object) => ({ type: "object", properties });

test("an agent without a schema gets the whole conversation", () => {
  const { params: _, ...given } = fields;
  expect(chatInput(undefined, fields)).toEqual(given);
});

test("an agent with a schema gets the fields that it names", () => {
  expect(chatInput(schemaOf({ prompt: {}, state: {} }), fields)).toEqual({ prompt: "hi", state: { n: 1 } });
});

test("a schema without a conversation is met by a prompt that is JSON, or by its one text", () => {
  const typed = schemaOf({ city: { type: "string" }, days: { type: "integer" } });
  expect(chatInput(typed, { ...fields, prompt: '{"city":"Rome","days":2}' })).toEqual({ city: "Rome", days: 2 });
  expect(chatInput(typed, { ...fields, prompt: "Rome" })).toEqual({ city: "Rome" });
  // The check of the schema then names what is missing.
  const two = schemaOf({ city: { type: "string" }, name: { type: "string" } });
  expect(chatInput(two, fields)).toMatchObject({ prompt: "hi" });
});

test("content of text alone is one text, other content stays as it is", () => {
  const [text, image] = [
    { type: "text", text: "a" },
    { type: "image_url", image_url: { url: "data:," } },
  ];
  expect([plainContent([text, text]), plainContent([text, image]), plainContent([]), plainContent("b")]).toEqual([
    "aa",
    [text, image],
    [],
    "b",
  ]);
});

test("a text that nests deeper than a request may stays a text wherever JSON is read from one", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  expect(chatInput(schemaOf({ note: { type: "string" } }), { ...fields, prompt: deep })).toEqual({ note: deep });
  expect(readAnswer(deep, null)).toBe(deep);
  expect(answersOf([{ text: deep }])).toEqual([deep]);
  const list = { type: "array" };
  expect(replyOf(list, "accept", { response: deep })).toEqual({ kind: "resume", response: deep });
  const state = { type: "state", run_id: "r", attempt: 1, seq: 2, ts: "", state_snapshot: deep } as RunEvent;
  expect(agUiProjection.start().push(state).join("")).toContain(JSON.stringify(deep));
});
