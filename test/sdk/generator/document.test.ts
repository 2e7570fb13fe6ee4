import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readDocument, readOperations } from "../../../sdk/generator/document.ts";

const operations = readOperations(readDocument(readFileSync("docs/openapi.json", "utf8")));
const kindOf = (resource: string, name: string): string | undefined =>
  operations.find((one) => one.resource === resource && one.name === name)?.result.kind;

test("a list is read page after page where its answer is a page with a cursor; an answer that says more is given as it is", () => {
  expect(kindOf("runs", "list")).toBe("page");
  expect(kindOf("runs", "list_steps")).toBe("page");
  expect(kindOf("runs", "get_journal")).toBe("json");
  expect(operations.filter(({ result }) => result.kind === "page").length).toBeGreaterThan(40);
});

test("a page without a cursor is no list to read on, which a client would read from its beginning again", () => {
  const answer = (properties: object) => ({
    get: {
      operationId: "list_things_v1_things_get",
      tags: ["Things"],
      summary: "Things",
      parameters: [{ name: "after", in: "query", required: false, schema: {} }],
      responses: { 200: { content: { "application/json": { schema: { type: "object", properties } } } } },
    },
  });
  const kind = (properties: object) => {
    const text = JSON.stringify({ paths: { "/v1/things": answer(properties) }, components: { schemas: {} } });
    return readOperations(readDocument(text))[0]?.result.kind;
  };
  const page = { data: { type: "array", items: {} }, has_more: {} };
  expect(kind({ ...page, last_id: {} })).toBe("page");
  expect(kind({ ...page, last_place: {} })).toBe("page");
  expect(kind(page)).toBe("json");
  expect(kind({ ...page, last_id: {}, total: {} })).toBe("json");
});
