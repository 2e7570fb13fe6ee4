import { expect, test } from "vitest";
import { chatInput, plainContent } from "../../../api/protocols/chat-input.ts";

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
