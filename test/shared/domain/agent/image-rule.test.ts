import { expect, test } from "vitest";
import { allowsImage, imagePattern, imageRulePattern } from "../../../../shared/domain/agent/image-rule.ts";
import { quickest } from "../../../harness/quickest.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each([
  "agent",
  "agent:1",
  "acme/agent",
  "ghcr.io/acme/agent:1.2",
  "localhost:5000/a__b/c-d:x",
  `ghcr.io/a/b@${digest}`,
  `a:1@${digest}`,
])("%s names an image", (image) => expect(imagePattern.test(image)).toBe(true));

test.each([
  "",
  "-v",
  "--privileged",
  "a b",
  "../a",
  "/a",
  "a/",
  "http://evil/a",
  "a:",
  "a@sha256:1",
  "a:-x",
  "A/B",
  "a;b",
  "a\nb",
  "$(x)",
  "169.254.169.254/",
])("%j names none", (image) => {
  expect(imagePattern.test(image)).toBe(false);
  expect(imageRulePattern.test(image)).toBe(false);
});

test("a rule is an image, every tag of a repository, or every digest of it", () => {
  for (const rule of ["ghcr.io/acme/agent:1", "ghcr.io/acme/agent:*", "ghcr.io/acme/agent@*"])
    expect(imageRulePattern.test(rule)).toBe(true);
  for (const rule of ["*", "ghcr.io/*", "ghcr.io/acme/*", "ghcr.io/acme/agent*", "a:1*"])
    expect(imageRulePattern.test(rule)).toBe(false);
});

test.each([
  [["agent:1"], "agent:1", true],
  [["agent:1"], "agent:10", false],
  [["agent"], "agent:latest", false],
  [["acme/agent:*"], "acme/agent:2", true],
  [["acme/agent:*"], "acme/agent", false],
  [["acme/agent:*"], "acme/agent-evil:2", false],
  [["acme/agent:*"], "evil/acme/agent:2", false],
  [["acme/agent:*"], `acme/agent:2@${digest}`, false],
  [["acme/agent@*"], `acme/agent@${digest}`, true],
  [["acme/agent@*"], "acme/agent:2", false],
  // A registry's port must not be taken for a tag.
  [["registry:*"], "registry:5000/evil", false],
  [[], "agent:1", false],
])("%j and %s: %s", (rules, image, allowed) => expect(allowsImage(rules, image)).toBe(allowed));

test("a name of any length is judged at once", async () => {
  const judgeAll = async (): Promise<number> => {
    const began = performance.now();
    for (const image of [`${"a".repeat(500)}!`, `${"a-".repeat(250)}!`, `${"a.".repeat(250)}!`, `${"a/".repeat(250)}!`])
      imagePattern.test(image);
    return performance.now() - began;
  };
  expect(await quickest(200, judgeAll)).toBeLessThan(200);
});
