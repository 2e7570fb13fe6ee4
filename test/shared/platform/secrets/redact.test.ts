import { expect, test } from "vitest";
import { createRedactor } from "../../../../shared/platform/secrets/redact.ts";

test("a secret value disappears from every string of a value, at any depth, and from its keys", () => {
  const { deep } = createRedactor(["hunter22"]);
  const value = { hunter22: ["a hunter22 b hunter22", { deep: "hunter22" }], count: 1, none: null, yes: true };
  expect(deep(value)).toEqual({
    "[redacted]": ["a [redacted] b [redacted]", { deep: "[redacted]" }],
    count: 1,
    none: null,
    yes: true,
  });
  expect(value.hunter22[0]).toBe("a hunter22 b hunter22");
});

test("a secret that is a word of the protocol's hides itself, and breaks no frame", () => {
  const { frame } = createRedactor(["output", "content", "stderr"]);
  const said = { type: "output", content: "the output", value: { content: 1 } };
  expect(frame(said)).toEqual({ type: "output", content: "the [redacted]", value: { "[redacted]": 1 } });
  expect(frame({ type: "log", stream: "stderr", message: "stderr" })).toMatchObject({ stream: "stderr" });
});

test("values of fewer than 6 characters are not taken for secrets", () => {
  expect(createRedactor(["true", "12345", ""]).text("true 12345")).toBe("true 12345");
  expect(createRedactor(["123456"]).text("123456")).toBe("[redacted]");
});

test("a secret that holds another one disappears as a whole", () => {
  expect(createRedactor(["secret", "secret-longer"]).text("secret-longer secret")).toBe("[redacted] [redacted]");
});

test("secrets are taken literally, whatever characters they hold", () => {
  expect(createRedactor(["a.c$&(x"]).text("a.c$&(x abc$&(x")).toBe("[redacted] abc$&(x");
  expect(createRedactor(["redacted", "private"]).text("private")).toBe("[redacted]");
});

test("without secrets, values pass uncopied", () => {
  const value = { a: [1] };
  expect(createRedactor([]).deep(value)).toBe(value);
});
