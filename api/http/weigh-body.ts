/** A body counts as one more request for each of these sizes, because parsing it keeps this process' only thread busy. */
const perRequest = { bytes: 64 * 1024, values: 1_000 };

/** Returns as how many requests a body counts, besides the one that brings it. `values`: of its JSON. */
export const weighBody = ({ bytes, values = 0 }: { bytes: number; values?: number }): number =>
  Math.floor(bytes / perRequest.bytes) + Math.floor(values / perRequest.values);
