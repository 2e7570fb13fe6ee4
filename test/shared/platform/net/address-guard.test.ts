import { describe, expect, test } from "vitest";
import { checkTargetUrl, isForbiddenAddress } from "../../../../shared/platform/net/address-guard.ts";

const forbidden = {
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  "link-local": ["169.254.0.1", "fe80::1", "febf::1"],
  metadata: ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"],
  "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  "reserved, benchmark and documentation": [
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "2001:db8::1",
    "100::1",
  ],
  "IPv4 inside IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
  ],
  "site-local and not global": ["fec0::1", "4000::1", "1::1"],
  "no address": ["", "localhost", "127.0.0.1.example.com", "[::1]"],
};

describe.each(Object.entries(forbidden))("%s", (_, addresses) => {
  test.each(addresses)("'%s' is never connected to", (address) => {
    expect(isForbiddenAddress(address, [])).toBe(true);
  });
});

test.each(["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.255.255", "2606:4700::1111", "2a00:1450::1"])(
  "%s is public",
  (address) => {
    expect(isForbiddenAddress(address, [])).toBe(false);
  },
);

test("an allowed network opens itself and nothing else", () => {
  const allowed = ["127.0.0.0/8", "fd00::/8"];
  expect(isForbiddenAddress("127.0.0.1", allowed)).toBe(false);
  expect(isForbiddenAddress("::ffff:127.0.0.1", allowed)).toBe(false);
  expect(isForbiddenAddress("fd00::1", allowed)).toBe(false);
  expect(isForbiddenAddress("10.0.0.1", allowed)).toBe(true);
  expect(isForbiddenAddress("::1", allowed)).toBe(true);
});

test.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://0x7f.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001/",
  "http://0177.0.0.1/",
  "http://①②⑦.⓪.⓪.①/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http:127.0.0.1",
  "http:\\\\127.0.0.1",
  "http://127.0.0.1./",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[0:0:0:0:0:ffff:7f00:1]:8080/",
  "https://169.254.169.254/latest/meta-data/",
])("%s is refused: it is a private address in disguise", (url) => {
  expect(checkTargetUrl(url, [])).toEqual({ fault: "must not point to a private or reserved address" });
});

test.each([
  ["ftp://example.com/", "must be an http or https URL"],
  ["file:///etc/passwd", "must be an http or https URL"],
  ["javascript:alert(1)", "must be an http or https URL"],
  ["/relative", "must be an absolute URL"],
  ["", "must be an absolute URL"],
  ["http://", "must be an absolute URL"],
  ["http://foo@127.0.0.1/", "must not hold a user name or a password"],
  ["https://user:pass@example.com/", "must not hold a user name or a password"],
  [`https://example.com/${"a".repeat(2048)}`, "must not be longer than 2048 characters"],
  [`https://${"a.".repeat(130)}com/`, "must not have a host name longer than 253 characters"],
])("%s: %s", (url, fault) => {
  expect(checkTargetUrl(url, ["0.0.0.0/0"])).toEqual({ fault });
});

test("names, public addresses and allowed ones pass", () => {
  for (const url of ["https://example.com/hook?x=1", "http://8.8.8.8:8080/", "https://[2606:4700::1111]/"])
    expect(checkTargetUrl(url, [])).toEqual({ url: new URL(url) });
  expect(checkTargetUrl("http://127.1:9/", ["127.0.0.0/8"])).toEqual({ url: new URL("http://127.0.0.1:9/") });
});
