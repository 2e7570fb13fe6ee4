import { expect, test } from "vitest";
import { openHosts } from "../../chaos/partition/hosts.ts";
import { runPartition } from "../../chaos/partition/run-partition.ts";

const lacking = await openHosts().then(
  async (hosts) => {
    await hosts.close();
    return null;
  },
  (error: unknown) => String(error),
);

test("a host that is cut off for longer than its leases costs no run and no event, and goes on afterwards", async (ctx) => {
  if (lacking !== null) return ctx.skip(lacking);
  const options = { seed: 7, clients: 6, cuts: 1, cutMs: 6_000, wholeMs: 2_000 };
  const { evidence, broken, surprises } = await runPartition(options, new AbortController().signal);
  expect([...broken].filter(([, cases]) => cases.length > 0)).toEqual([]);
  expect(surprises).toBe(0);
  expect(evidence.struck.map(({ fault }) => fault)).toEqual(["link_cut"]);
  expect(evidence.accepted.length).toBeGreaterThan(20);
}, 300_000);
