import { expect, test } from "vitest";
import { py } from "./py.ts";

test("Python's lines keep their indentation to each other, its backslashes and what is put in", () => {
  const source = py`
    def main(input):

        print("a\nb", ${1})
    ${"x = 1\ny = 2"}
  `;
  expect(source).toBe('def main(input):\n\n    print("a\\nb", 1)\nx = 1\ny = 2\n');
});
