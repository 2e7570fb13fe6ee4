import type { Request } from "express";
import { expect, test } from "vitest";
import { clientAddress } from "../../../api/http/client-address.ts";

const addressOf = (ip: string | undefined) =>
  clientAddress({ ip, socket: { remoteAddress: "10.0.0.9" } } as unknown as Request);

test.for([
  ["198.51.100.1", "198.51.100.1"],
  ["198.51.100.1:5678", "198.51.100.1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["2001:db8::1", "2001:db8::1"],
  // Whoever may say anything would have a new limit with each request.
  ["unknown", "10.0.0.9"],
  ["", "10.0.0.9"],
] as const)("of what a proxy says of a client, %s is the address %s", ([said, address]) => {
  expect(addressOf(said)).toBe(address);
});
