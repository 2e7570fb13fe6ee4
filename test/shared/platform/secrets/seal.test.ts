import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { open, seal } from "../../../../shared/platform/secrets/seal.ts";

const older = { id: "k1", key: randomBytes(32) };
const newer = { id: "k2", key: randomBytes(32) };

test("a sealed value opens with its key and its place, and doesn't show its text", () => {
  const sealed = seal([older], "geheim ✓", "run_1:env_vars");
  expect(sealed.includes("geheim")).toBe(false);
  expect(open([older], new Uint8Array(sealed), "run_1:env_vars").toString()).toBe("geheim ✓");
});

test("bytes and nothing at all survive sealing", () => {
  const bytes = randomBytes(1000);
  expect(open([older], seal([older], bytes, "a"), "a").equals(bytes)).toBe(true);
  expect(open([older], seal([older], "", "a"), "a")).toHaveLength(0);
});

test("after a rotation the new key seals and the old one still opens", () => {
  const before = seal([older], "x", "a");
  const after = seal([newer, older], "x", "a");
  expect(open([newer, older], before, "a").toString()).toBe("x");
  expect(() => open([older], after, "a")).toThrow("key");
});

test("the same text is never sealed to the same bytes", () => {
  expect(seal([older], "x", "a").equals(seal([older], "x", "a"))).toBe(false);
});

test("moved to another place, changed in any byte or cut short, a sealed value doesn't open", () => {
  const sealed = seal([older], "text", "run_1:env_vars");
  expect(() => open([older], sealed, "run_2:env_vars")).toThrow("authenticate");
  const refusal = /authenticate|not a sealed value|names a key/;
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => open([older], changed, "run_1:env_vars")).toThrow(refusal);
    expect(() => open([older], sealed.subarray(0, at), "run_1:env_vars")).toThrow(refusal);
  }
});
