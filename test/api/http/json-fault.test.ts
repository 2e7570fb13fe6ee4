import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findJsonFault } from "../../../api/http/json-fault.ts";

type Recorded = { text: string; position: number; error: string };

/** What CPython 3.11's `json.loads` said of 700 broken texts. */
const recorded: Recorded[] = JSON.parse(
  readFileSync(new URL("../../contract/python-json-errors.json", import.meta.url), "utf8"),
);

it("names the place and the reason that Python names, for every recorded text", () => {
  expect(recorded.length).toBe(700);
  expect(recorded.map(({ text }) => ({ text, ...findJsonFault(text) }))).toEqual(recorded);
});

it("takes NaN and Infinity for no value", () => {
  expect(findJsonFault('{"a": NaN}')).toEqual({ position: 6, error: "Expecting value" });
  expect(findJsonFault("[-Infinity]")).toEqual({ position: 1, error: "Expecting value" });
});

const jsonish = fc.array(
  fc.constantFrom(...Array.from('{}[]:,"\\ \n\u0001ae+-.01tn😀'), "null", '"k":', "\\u00", "NaN"),
  {
    maxLength: 60,
  },
);

it("finds a place within the text, or its end, for whatever text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        jsonish.map((parts) => parts.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        const { position, error } = findJsonFault(text);
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(Array.from(text).length);
        expect(error).toMatch(/^(Expecting|Extra|Unterminated|Invalid)/);
      },
    ),
    { numRuns: 3000 },
  );
});

it("reaches the end of each valid JSON text", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findJsonFault(text)).toEqual({ position: Array.from(text).length, error: "Extra data" });
    }),
  );
});

it("survives a million open brackets", () => {
  expect(findJsonFault("[".repeat(1_000_000))).toEqual({ position: 1_000_000, error: "Expecting value" });
});
