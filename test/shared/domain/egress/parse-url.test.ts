import { expect, test } from "vitest";
import { parseUrl } from "../../../../shared/domain/egress/parse-url.ts";

test("a text that is no URL is none, however often it was asked about", () => {
  const odd = Buffer.from("aHR0cDovL2XMgWV4YW1wbGUub3JnL2E/Yj1j", "base64").toString("latin1");
  for (let turn = 0; turn < 30_000; turn += 1) parseUrl(odd);
  expect(parseUrl(odd)).toBe(null);
  expect(parseUrl("/a")).toBe(null);
  expect(parseUrl("http://a.org:80/b")?.href).toBe("http://a.org/b");
});
