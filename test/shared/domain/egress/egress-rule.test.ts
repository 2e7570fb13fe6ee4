import { expect, test } from "vitest";
import { egressAllows, egressPattern } from "../../../../shared/domain/egress/egress-rule.ts";

test.each([
  [["api.example.com"], "api.example.com", 443, true],
  [["api.example.com"], "API.Example.com.", 80, true],
  [["api.example.com"], "api.example.com", 22, false],
  [["api.example.com"], "evil-api.example.com", 443, false],
  [["api.example.com"], "api.example.com.evil.org", 443, false],
  [["*.example.com"], "a.b.example.com", 443, true],
  [["*.example.com"], "example.com", 443, false],
  [["*.example.com"], "badexample.com", 443, false],
  [["db.example.com:5432"], "db.example.com", 5432, true],
  [["db.example.com:5432"], "db.example.com", 443, false],
  [["*"], "anything.org", 443, true],
  [["*"], "anything.org", 25, false],
  [["*:25"], "anything.org", 25, true],
  [[], "anything.org", 443, false],
])("%j lets %s:%i through: %s", (patterns, host, port, allowed) => {
  expect(egressAllows(patterns, host, port)).toBe(allowed);
});

test.each(["http://a.org", "a.org/path", "*a.org", "a.*", "", "a b", "a.org:", "a.org:port"])(
  "%j is no pattern",
  (text) => expect(egressPattern.test(text)).toBe(false),
);
