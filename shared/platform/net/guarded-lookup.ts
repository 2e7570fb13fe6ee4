import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isForbiddenAddress } from "./address-guard.ts";
import { TargetFault } from "./target-fault.ts";

type Address = { address: string; family: number };
export type ResolveName = (name: string) => Promise<Address[]>;

export const resolveName: ResolveName = (name) => lookup(name, { all: true });

/** Returns a host's addresses, if all of them are allowed. Throws TargetFault. */
export async function findAddresses(host: string, allowCidrs: string[], resolve = resolveName): Promise<Address[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new TargetFault("dns");
  if (addresses.some(({ address }) => isForbiddenAddress(address, allowCidrs))) throw new TargetFault("blocked");
  return addresses;
}

/** The same as a `lookup` of `net.connect`, which then connects to the checked addresses without a second look-up. */
export function guardedLookup(allowCidrs: string[], resolve: ResolveName): LookupFunction {
  return (name, options, callback) => {
    const succeed = (addresses: Address[]): void => {
      const [first] = addresses;
      if (options.all) return callback(null, addresses);
      return callback(null, first?.address ?? "", first?.family ?? 0);
    };
    const fail = (error: Error): void => callback(error, "", 0);
    findAddresses(name, allowCidrs, resolve).then(succeed, fail);
  };
}
