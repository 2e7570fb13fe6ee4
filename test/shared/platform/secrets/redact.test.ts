import { expect, test } from "vitest";
import { createRandom } from "../../../../chaos/random.ts";
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

test("a place that has several secrets loses the longest, as the plain way finds it", () => {
  const random = createRandom("redact");
  const word = (length: number) => Array.from({ length }, () => "abä"[random.below(3)]).join("");
  for (let round = 0; round < 300; round += 1) {
    const secrets = Array.from({ length: 1 + random.below(4) }, () => word(6 + random.below(5)));
    const given = Array.from({ length: 8 }, () => secrets[random.below(8)] ?? word(random.below(9))).join("");
    let expected = "";
    for (let at = 0; at < given.length;) {
      const [found] = secrets.filter((one) => given.startsWith(one, at)).toSorted((a, b) => b.length - a.length);
      expected += found ? "[redacted]" : given[at];
      at += found?.length ?? 1;
    }
    expect(createRedactor(secrets).text(given)).toBe(expected);
  }
});

test("an agent that prints what is almost its secret keeps its worker no longer than any other", () => {
  const given = "a".repeat(1_048_576);
  const timeOf = (secrets: string[]): number => {
    const { text } = createRedactor(secrets);
    const before = process.cpuUsage();
    expect(text(given)).toBe(given);
    return process.cpuUsage(before).user;
  };
  const usual = Math.max(timeOf(["hunter22"]), timeOf(["hunter23"]));
  expect(timeOf([`${"a".repeat(16_383)}b${"a".repeat(16_384)}`])).toBeLessThan(20 * usual + 500_000);
  const many = Array.from({ length: 500 }, (_, number) => `${"a".repeat(60)}${number}`);
  expect(timeOf(many)).toBeLessThan(20 * usual + 500_000);
});
