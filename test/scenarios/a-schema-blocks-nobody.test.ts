import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();

test("while 87 inputs are checked by a pattern that backtracks for ever, every other request is answered", async () => {
  const source = "def main(input): return 1";
  const input_schema = { properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  const agent_id = await makeAgent(url, source, { input_schema });
  const ask = () =>
    call(url, "POST", "/v1/validate", {
      agent_id,
      version: "current",
      input_payload: { text: `${"a".repeat(60)}b` },
    });
  const slow = Promise.all(Array.from({ length: 87 }, ask));
  const others: number[] = [];
  let isOver = false;
  void slow.finally(() => (isOver = true));
  while (!isOver) others.push((await fetch(`${url}/health/live`)).status);
  const answers = await slow;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422));
  expect(JSON.stringify(answers.at(-1)?.body)).toContain("could not be checked by its schema");
  // 1.5 s went by. A process that applied the pattern in its only thread answered three or four.
  expect(others.length).toBeGreaterThan(50);
  expect(new Set(others)).toEqual(new Set([200]));
});
