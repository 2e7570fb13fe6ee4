import { expect, test } from "vitest";
import { type ApprovalRule, needsApproval } from "../../../../shared/domain/connection/approval-rule.ts";

const asks = (rule: ApprovalRule, address: string, ...methods: string[]): boolean =>
  needsApproval([rule], { methods: methods.length > 0 ? methods : ["POST"], url: new URL(address) });

test("a rule names a method, a host and a path; what it leaves out may be anything", () => {
  const refunds = { method: "POST", host: "api.shop.example", path: "/v1/refunds*" };
  expect(asks(refunds, "https://api.shop.example/v1/refunds")).toBe(true);
  expect(asks(refunds, "https://api.shop.example/v1/refunds/7?x=1")).toBe(true);
  expect(asks(refunds, "https://api.shop.example:8443/v1/refunds")).toBe(true);
  expect(asks(refunds, "https://api.shop.example/v1/charges")).toBe(false);
  expect(asks(refunds, "https://shop.example/v1/refunds")).toBe(false);
  expect(asks(refunds, "https://api.shop.example/v1/refunds", "GET")).toBe(false);
  expect(asks({ method: "delete" }, "https://x.example/", "DELETE")).toBe(true);
  expect(asks({ host: "*.shop.example" }, "https://a.b.shop.example/")).toBe(true);
  expect(asks({ host: "*.shop.example" }, "https://shop.example/")).toBe(false);
  expect(asks({ host: "x.example:8443" }, "https://x.example/")).toBe(false);
  expect(asks({ host: "x.example:443" }, "https://x.example/")).toBe(true);
  expect(asks({}, "http://anything.example/")).toBe(true);
  expect(needsApproval([], { methods: ["POST"], url: new URL("http://x.example/") })).toBe(false);
});

test("a path is found however it is spelled, and a method wherever it is named", () => {
  for (const path of [
    "/v1/%72efunds",
    "/v1/%2572efunds",
    "/v1//refunds",
    "/V1/Refunds",
    "/v1/./refunds",
    "/v1/x%2f..%2frefunds",
    "/v1/refunds/",
    "/v1/refunds;a=b",
    "/v1%5crefunds",
  ])
    expect([path, asks({ path: "/v1/refunds" }, `https://x.example${path}`)]).toEqual([path, true]);
  expect(asks({ method: "DELETE" }, "https://x.example/", "POST", "delete")).toBe(true);
});

test.each([
  ["/v1/überweisung*", "/v1/überweisung/1"],
  ["/v1/überweisung*", "/v1/u\u0308berweisung/1"],
  ["/v1/überweisung*", "/v1/%FCberweisung/1"],
  ["/v1/a%20b*", "/v1/%61%20b/1"],
  ["/v1/users/me%40x/refunds", "/v1/users/me@x/refunds"],
  ["/v1/projects/a%2Fb/pay*", "/v1/projects/a%2Fb/%70ay"],
])("a rule for %s, however it is spelled itself, finds %s", (path, called) => {
  expect(asks({ path }, `https://x.example${called}`)).toBe(true);
  expect(asks({ path }, "https://x.example/v1/other")).toBe(false);
});

test("a star stands for any characters, in time that grows with the path alone", () => {
  expect(asks({ path: "/users/*/keys" }, "https://x.example/users/7/keys")).toBe(true);
  expect(asks({ path: "/users/*/keys" }, "https://x.example/users/keys")).toBe(false);
  expect(asks({ path: "*/keys*" }, "https://x.example/a/b/keys/1")).toBe(true);
  expect(asks({ path: "/ab*ba" }, "https://x.example/aba")).toBe(false);
  const startedAt = performance.now();
  expect(asks({ path: `/${"*a".repeat(200)}b` }, `https://x.example/${"a".repeat(15_000)}`)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
