import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalLimits } from "../../shared/domain/run/journal-limits.ts";

/** Returns a constant of a program of the runtime, which is a product of numbers, or one that is shifted. */
function constantOf(path: string, name: string): number {
  const text = readFileSync(join(import.meta.dirname, "../../runtime", path), "utf8");
  const [, product = "", shift = "0"] =
    new RegExp(`^(?:const )?${name} = ([\\d_ *]+)(?:<< (\\d+))?`, "m").exec(text) ?? [];
  return product.split("*").reduce((all, factor) => all * Number(factor.replaceAll("_", "")), 1) * 2 ** Number(shift);
}

test("both runtimes stop a step where the worker would refuse what it gives", () => {
  const { entry_bytes, entries, bytes } = journalLimits;
  const python = [
    constantOf("python/_runfleet/step_values.py", "ENTRY_BYTES"),
    constantOf("python/_runfleet/journal.py", "MOST_ENTRIES"),
    constantOf("python/_runfleet/journal.py", "MOST_BYTES"),
  ];
  const node = [
    constantOf("node/step-values.mjs", "entryLength"),
    constantOf("node/steps.mjs", "mostEntries"),
    constantOf("node/steps.mjs", "mostBytes"),
  ];
  expect(python).toEqual([entry_bytes, entries, bytes]);
  expect(node).toEqual([entry_bytes, entries, bytes]);
});
