import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority } from "../../worker/gateway/authority.ts";

const dayMs = 86_400_000;

test("a host's certificate is its own, the authority's, and anew after a day; the authority's key is in none", () => {
  const clock = { now: Date.now() };
  const { trust, certify } = createAuthority(() => clock.now);
  const authority = new X509Certificate(trust.authority);
  expect([authority.ca, authority.checkIssued(authority), authority.verify(authority.publicKey)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(trust.certificates).toContain(trust.authority);
  expect(trust.certificates).not.toContain("PRIVATE KEY");
  const { cert = "", key = "" } = certify("api.openai.com") ?? {};
  const read = new X509Certificate(cert);
  expect([read.ca, read.checkIssued(authority), read.verify(authority.publicKey)]).toEqual([false, true, true]);
  expect(read.checkHost("api.openai.com")).toBe("api.openai.com");
  expect([read.checkHost("openai.com"), read.checkHost("x.api.openai.com")]).toEqual([undefined, undefined]);
  expect(() => createSecureContext({ cert, key })).not.toThrow();
  expect(certify("api.openai.com")?.cert).toBe(cert);
  clock.now += 2 * dayMs;
  expect(certify("api.openai.com")?.cert).not.toBe(cert);
  expect(new X509Certificate(certify("127.0.0.1")?.cert ?? "").checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certify("[::1]")).toBeNull();
});

test("a certificate says its time in the form of its year", () => {
  const from = Date.UTC(2049, 11, 31, 12);
  const { trust, certify } = createAuthority(() => from);
  const { validFrom, validTo } = new X509Certificate(certify("a.example")?.cert ?? "");
  expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([from - dayMs, from + 90 * dayMs]);
  expect(Date.parse(new X509Certificate(trust.authority).validTo)).toBe(from + 3_650 * dayMs);
});
