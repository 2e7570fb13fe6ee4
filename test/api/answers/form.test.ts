import { expect, test } from "vitest";
import { markup } from "../../../api/answers/markup.ts";
import { questionForm } from "../../../api/answers/question-form.ts";
import { readForm } from "../../../api/answers/read-form.ts";
import { renderForm } from "../../../api/answers/render-form.ts";

type Schema = Record<string, unknown>;
const formOf = (response_schema: Schema | null, reason = "input_required") => questionForm({ reason, response_schema });
const read = (schema: Schema | null, sent: [string, string][], reason?: string) =>
  readForm(formOf(schema, reason), new URLSearchParams(sent));
const shown = (schema: Schema | null) => renderForm(formOf(schema), { needsKey: false, draft: null }).text;

const booking = {
  type: "object",
  required: ["city", "nights", "breakfast", "guest"],
  properties: {
    city: { enum: ["Rome", "Oslo"], title: "Where to?" },
    nights: { type: "integer", minimum: 1, maximum: 30 },
    price: { type: "number" },
    breakfast: { type: "boolean" },
    extras: { type: "array", items: { enum: ["sauna", "bikes", 3] } },
    mail: { type: ["string", "null"], format: "email", maxLength: 50 },
    guest: { $ref: "#/$defs/Guest" },
    anything: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  $defs: {
    Guest: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, "a/b~c": { type: "string" } },
    },
  },
};

test("what a person is asked of a call has two buttons; another schema has its own fields, whatever the reason", () => {
  const [approved, reason] = [{ type: "boolean" }, { type: "string", maxLength: 2_000 }];
  const verdict = { type: "object", required: ["approved"], properties: { approved, reason } };
  const deny: [string, string][] = [
    ["verdict", "deny"],
    ["answer/reason", "no"],
  ];
  expect(read(verdict, deny, "approval_required")).toEqual({ response: { approved: false, reason: "no" } });
  expect(formOf(verdict)).toMatchObject({ verdict: false });
  const more = { ...verdict, properties: { approved, reason, amount: { type: "number" } } };
  expect(formOf(more, "approval_required")).toMatchObject({ verdict: false });
});

test("a form gives the values that its schema asks for, of their types; what stays empty is left out", () => {
  const sent: [string, string][] = [
    ["answer/city", "1"],
    ["answer/nights", "3"],
    ["answer/price", "12.5"],
    ["answer/breakfast", "0"],
    ["answer/extras", "0"],
    ["answer/extras", "2"],
    ["answer/mail", ""],
    ["answer/guest/name", "Ada\r\nLovelace"],
    ["answer/guest/a~1b~0c", "x"],
    ["answer/anything", '{"a":[1]}'],
    ["answer/invented", "ignored"],
  ];
  expect(read(booking, sent)).toEqual({
    response: {
      city: "Oslo",
      nights: 3,
      price: 12.5,
      breakfast: true,
      extras: ["sauna", 3],
      guest: { name: "Ada\nLovelace", "a/b~c": "x" },
      anything: { a: [1] },
    },
  });
});

test("each fault is told at its field", () => {
  const wrong = read(booking, [
    ["answer/city", "7"],
    ["answer/nights", "2.5"],
    ["answer/price", "dear"],
    ["answer/extras", "x"],
    ["answer/anything", "{"],
    ["answer/mail", "x".repeat(51)],
  ]);
  const faults = "faults" in wrong ? Object.fromEntries(wrong.faults) : {};
  expect(Object.keys(faults).toSorted()).toEqual([
    "answer/anything",
    "answer/breakfast",
    "answer/city",
    "answer/extras",
    "answer/guest/name",
    "answer/mail",
    "answer/nights",
    "answer/price",
  ]);
  expect(faults["answer/anything"]).toContain("This is no JSON.");
  for (const nights of ["0", "31", "1e400", "NaN", "0x10", "٣"])
    expect([nights, "faults" in read({ type: "integer", minimum: 1, maximum: 30 }, [["answer/", nights]])]).toEqual([
      nights,
      true,
    ]);
});

test("without a schema a person writes a text, and gives a verdict where the agent asks for an approval", () => {
  expect(read(null, [["answer/", "yes"]])).toEqual({ response: "yes" });
  expect(read(null, [["verdict", "approve"]], "approval_required")).toEqual({ response: { approved: true } });
  expect(
    read(
      null,
      [
        ["verdict", "deny"],
        ["answer/reason", "too dear"],
      ],
      "tool_approval",
    ),
  ).toEqual({
    response: { approved: false, reason: "too dear" },
  });
  expect(read(null, [["verdict", "maybe"]], "approval_required")).toHaveProperty("faults");
  expect(read({ type: "boolean" }, [["answer/", "1"]])).toEqual({ response: false });
  expect(read({ const: "go" }, [["answer/", "0"]])).toEqual({ response: "go" });
});

test("a group that may stay empty is left out, and its fields are needed once it is begun", () => {
  const schema = {
    type: "object",
    properties: {
      to: {
        type: "object",
        required: ["street", "town"],
        properties: { street: { type: "string" }, town: { type: "string" } },
      },
    },
  };
  expect(read(schema, [["answer/to/street", " "]])).toEqual({ response: {} });
  expect(read(schema, [["answer/to/street", "Main"]])).toHaveProperty("faults");
});

test("what is no plain schema becomes a field for JSON; odd, deep and endless schemas are no trouble", () => {
  const endless: Schema = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } };
  const grown = (depth: number): Schema =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { a: grown(depth - 1) } };
  const recursive = {
    $ref: "#/$defs/Node",
    $defs: {
      Node: { type: "object", properties: { left: { $ref: "#/$defs/Node" }, right: { $ref: "#/$defs/Node" } } },
    },
  };
  const many = { type: "object", properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, {}])) };
  const odd: Schema[] = [
    endless,
    grown(200),
    recursive,
    many,
    {},
    { type: "array", items: { type: "string" } },
    { type: "object" },
    { $ref: "#/$defs/__proto__" },
    { $ref: "https://evil.example/schema.json" },
    { enum: [{ a: 1 }] },
    { type: 7 },
    { anyOf: "x", properties: 3 },
    { type: "object", properties: { a: null, b: true, c: [] }, required: "a" },
    { type: "string", default: { a: 1 }, maxLength: "9", title: 4, description: [] },
  ];
  for (const schema of odd) {
    const text = shown(schema);
    expect(text.length).toBeLessThan(200_000);
    expect(text).toContain("</form>");
  }
  for (const schema of [endless, many, {}]) expect(shown(schema)).toContain('placeholder="JSON"');
  expect(read({ type: "object", properties: { __proto__x: {} } }, [])).toEqual({ response: {} });
  const named = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as Schema;
  const answered = read(named, [["answer/__proto__", "x"]]);
  expect("response" in answered && Object.keys(answered.response as object)).toEqual(["__proto__"]);
});

test("whatever an agent shows is text: nothing of it is markup, and nothing turns around", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=a()> ' \u202egnp.exe \u0000 </textarea></style>`;
  const text = shown({
    type: "object",
    title: evil,
    description: evil,
    properties: {
      [evil]: { type: "string", default: evil, description: evil },
      b: { enum: [evil, "c"] },
      c: { default: evil },
    },
  });
  expect(text).not.toMatch(/<(script|img|a|style|iframe)\b/i);
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("\u0000");
  expect(text.match(/<\/textarea>/g)?.length).toBe(text.match(/<textarea/g)?.length);
  expect(markup`<b title="${evil}">${[markup`<i>${"<"}</i>`, null]}</b>`.text).toContain("<i>&lt;</i>");
});
